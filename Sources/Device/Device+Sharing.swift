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
        let count = try visibleFiles(in: data.raw)
        let files = count == 1 ? "1 file becomes" : "\(count) files become"
        return views.map { "\(app.name) shares its Documents from now on: \(files) visible in \($0)" }
    }
}

/// How many files a view for other programs shows: those below the items of Documents that no dot hides.
private func visibleFiles(in data: Int32) throws(Errno) -> Int {
    var count = 0
    do {
        let documents = try FileTree.openDirectory(data, "Documents")
        try FileWalk.run(below: documents.raw) { name, stamp, depth in
            // Below the top level nothing is hidden: a folder is copied out whole.
            if depth == 0, name.first == CChar(UInt8(ascii: ".")) { return false }
            if stamp.isRegular { count += 1 }
            return true
        }
    } catch Errno.noSuchFileOrDirectory {
        return 0
    }
    return count
}
