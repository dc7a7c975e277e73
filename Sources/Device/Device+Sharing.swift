internal import CLinux
internal import Posix
internal import SandboxRules
internal import SystemPackage

extension Device {
    /// What of an app's Documents an upgrade shows that nobody was shown before, one line for each view.
    func newlyShared(by app: InstalledApp, replacing old: InstalledApp) throws(Errno) -> [String] {
        var views: [String] = []
        if app.sharing.itunes, !old.sharing.itunes {
            views.append("iTunes File Sharing (UIFileSharingEnabled)")
        }
        if app.sharing.files, !old.sharing.files {
            views.append("Files (LSSupportsOpeningDocumentsInPlace or UISupportsDocumentBrowser)")
        }
        if views.isEmpty { return [] }
        let data = try FileTree.openDirectory(directory, app.dataPath)
        let count = try FileCount.visible(in: data.raw)
        let files = count == 1 ? "1 file" : "\(count) files"
        return views.map { "\(app.name) shares its Documents from now on: \(files) become visible in \($0)" }
    }
}

/// Counts the files of Documents that a view for other programs shows.
private enum FileCount {
    // The walk holds a descriptor for each level; what lies deeper is not counted.
    private static let depthLimit = 256

    /// Files below the items of Documents that no dot hides.
    static func visible(in data: Int32) throws(Errno) -> Int {
        do {
            let documents = try FileTree.openDirectory(data, "Documents")
            return try below(documents.raw, depth: 0)
        } catch Errno.noSuchFileOrDirectory {
            return 0
        }
    }

    private static func below(_ directory: Int32, depth: Int) throws(Errno) -> Int {
        guard depth < depthLimit else { return 0 }
        var count = 0
        for name in try DirectoryEntries.names(in: directory) {
            // Below the top level nothing is hidden: a folder is copied out whole.
            if depth == 0, name.first == CChar(UInt8(ascii: ".")) { continue }
            do {
                let stamp = try ItemStamp(directory, name)
                if stamp.isRegular { count += 1 }
                guard stamp.isDirectory else { continue }
                let opened = try FileTree.openDirectory(directory, name)
                count += try below(opened.raw, depth: depth + 1)
            } catch Errno.noSuchFileOrDirectory, Errno.permissionDenied {
                // Removed meanwhile, or closed to everybody.
                continue
            }
        }
        return count
    }
}
