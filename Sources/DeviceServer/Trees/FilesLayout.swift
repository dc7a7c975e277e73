internal import CLinux
internal import Device
internal import Posix
internal import SandboxFS
internal import SandboxRules
internal import SystemPackage

/// What the Files app shows (SPEC 6): a directory for each app that offers its documents, by its name.
struct FilesLayout: CompositeLayout {
    let views: Views

    func entries(of path: String) throws(Errno) -> [CompositeEntry] {
        guard path.isEmpty else { throw .noSuchFileOrDirectory }
        return try views.device.appsOrErrno().map(FilesApp.init).named().map { name, app in
            CompositeEntry(name, .part(app.part))
        }
    }

    func open(_ part: String) throws(Errno) -> CompositePart {
        guard let app = try views.device.appsOrErrno().first(where: { FilesApp($0).part == part }) else {
            throw .noSuchFileOrDirectory
        }
        return try views.part(of: .app(app)) { (tree) throws(Errno) in
            try HomeFileSystem(documentsOf: tree)
        }
    }

    func statistics() throws(Errno) -> statvfs { try views.statistics() }
}

extension Device {
    /// - Throws: EIO where the catalogue cannot be read.
    func appsOrErrno() throws(Errno) -> [InstalledApp] {
        do { return try apps() } catch { throw .ioError }
    }
}
