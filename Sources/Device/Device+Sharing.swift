internal import Posix
internal import SandboxRules
internal import SystemPackage

extension Device {
    /// What an upgrade shows of an app's Documents that nobody was shown before, and where it shows them no
    /// more: one line for each view.
    func sharingChanges(by app: InstalledApp, replacing old: InstalledApp) throws(Errno) -> [String] {
        let ended = old.sharing.views.filter { !app.sharing.views.contains($0) }.map {
            "\(app.name) shares its Documents no more in \($0)"
        }
        let views = app.sharing.views.filter { !old.sharing.views.contains($0) }
        if views.isEmpty { return ended }
        let data = try FileTree.openDirectory(directory, app.dataPath)
        let count = try visibleFiles(in: data.raw)
        let files = count == 1 ? "1 file becomes" : "\(count) files become"
        return views.map { "\(app.name) shares its Documents from now on: \(files) visible in \($0)" } + ended
    }
}

extension SharingKeys {
    /// Where they show Documents, with the keys that do it.
    fileprivate var views: [String] {
        [
            itunes ? "iTunes File Sharing (UIFileSharingEnabled)" : nil,
            files ? "Files (LSSupportsOpeningDocumentsInPlace or UISupportsDocumentBrowser)" : nil,
        ].compactMap { $0 }
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
