internal import CLinux
internal import Device
internal import FoundationEssentials
internal import Posix
internal import SandboxFS
internal import SandboxRules
internal import SystemPackage

/// What the Files app shows (SPEC 6): a directory for each app that offers its documents, by its name.
struct FilesLayout: DeviceLayout {
    let views: Views

    func showsDocuments(of app: InstalledApp) -> Bool { app.filesName != nil }

    func entries(of path: String) throws(Errno) -> [CompositeEntry] {
        guard path.isEmpty else { throw .noSuchFileOrDirectory }
        return try apps.compactMap { app in
            app.filesName.map { CompositeEntry($0, .part(Self.partName(of: app))) }
        }
    }

    func open(_ part: String) throws(Errno) -> CompositePart {
        guard let app = try apps.first(where: { Self.partName(of: $0) == part }) else {
            throw .noSuchFileOrDirectory
        }
        return try views.part(of: .app(app)) { (tree) throws(Errno) in
            try HomeFileSystem(
                documentsOf: tree,
                listsPrefixedAttributes: try listsPrefixed)
        }
    }

    /// Another container is another part, also of an app that was removed and has come again.
    private static func partName(of app: InstalledApp) -> String { app.dataContainer.uuidString }
}
