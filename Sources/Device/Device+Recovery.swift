internal import Posix
internal import SystemPackage

extension Device {
    /// Finishes or undoes what a process that ended in the middle left, and empties staging.
    ///
    /// Called once after the device was opened, under its lock, before anything else: staging must be
    /// nobody's.
    /// - Returns: a line for the log for each change that was put in order.
    public func recover() throws(DeviceError) -> [String] {
        try performing("put the device in order after an interrupted command") {
            var lines: [String] = []
            for publication in try catalogue.journal(of: Publication.self) {
                if publication.phase == .publishing {
                    try undo(publication)
                    lines.append("undid the interrupted install of \(publication.bundleID)")
                } else {
                    try lines.append(tried("install of \(publication.bundleID)") { try finish(publication) })
                }
            }
            for restoration in try catalogue.journal(of: Restoration.self) where restoration.phase != .kept {
                try recover(restoration)
                let what = restoration.phase == .committed ? "finished" : "undid"
                lines.append("\(what) the interrupted restore of \(restoration.bundleID)")
            }
            for removal in try catalogue.journal(of: Removal.self) {
                try lines.append(tried("removal of \(removal.bundleID)") { try finish(removal) })
            }
            // What an erasure of the device that was ended in between has left.
            for name in try DirectoryEntries.names(in: directory).map(\.nameText)
            where name.hasPrefix(Layout.removedPrefix) {
                try TreeRemoval.remove(directory, name)
            }
            let staging = try FileTree.openDirectory(directory, Layout.staging)
            lines += try emptied(staging)
            try takeStagingOutOfContainers()
            return try lines + removeOrphanedStaging()
        }
    }

    /// What is left of a change that has taken place: it may hold what cannot be removed, another user's
    /// folder or a mount, say, and the next start or install tries again.
    private func tried(_ what: String, _ finish: () throws -> Void) throws -> String {
        do {
            try finish()
            return "finished the interrupted \(what)"
        } catch  where !(error is ProcessEnded) {
            return "cannot finish the interrupted \(what): \(error)"
        }
    }

    /// - Returns: a line for each item that cannot go, a folder of root's, say: it must not keep the device
    ///   shut, and nothing that comes later has its name.
    private func emptied(_ staging: borrowing Descriptor) throws -> [String] {
        let raw = staging.raw
        return try DirectoryEntries.names(in: raw).map(\.nameText).compactMap {
            removed($0, in: raw, Layout.staging)
        }
    }

    /// - Returns: why it cannot go; nil where it is gone.
    func removed(_ name: String, in folder: Int32, _ path: String) -> String? {
        do throws(Errno) {
            try TreeRemoval.remove(folder, name)
            return nil
        } catch {
            return "cannot remove \(path)/\(name): \(error)"
        }
    }
}
