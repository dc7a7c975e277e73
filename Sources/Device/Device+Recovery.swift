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
                try recover(publication)
                let what = publication.phase == .publishing ? "undid" : "finished"
                lines.append("\(what) the interrupted install of \(publication.bundleID)")
            }
            for restoration in try catalogue.journal(of: Restoration.self) where restoration.phase != .kept {
                try recover(restoration)
                let what = restoration.phase == .committed ? "finished" : "undid"
                lines.append("\(what) the interrupted restore of \(restoration.bundleID)")
            }
            for removal in try catalogue.journal(of: Removal.self) {
                try finish(removal)
                lines.append("finished the interrupted removal of \(removal.bundleID)")
            }
            let staging = try FileTree.openDirectory(directory, Layout.staging)
            lines += try emptied(staging)
            try takeStagingOutOfContainers()
            try removeOrphanedStaging()
            return lines
        }
    }
    /// - Returns: a line for each item that cannot go, a folder of root's, say: it must not keep the device
    ///   shut, and nothing that comes later has its name.
    private func emptied(_ staging: borrowing Descriptor) throws -> [String] {
        let raw = staging.raw
        return try DirectoryEntries.names(in: raw).map(\.nameText).compactMap { name in
            do throws(Errno) {
                try TreeRemoval.remove(raw, name)
                return nil
            } catch {
                return "cannot remove \(Layout.staging)/\(name): \(error)"
            }
        }
    }
}
