internal import CLinux
internal import Device
internal import Foundation
internal import Posix
internal import SandboxFS
internal import SandboxRules
internal import SystemPackage

/// What the Files app shows (SPEC 6): a directory for each app that offers its documents, by its name.
struct FilesLayout: CompositeLayout {
    let views: Views

    func entries(of path: String) throws(Errno) -> [CompositeEntry] {
        guard path.isEmpty else { throw .noSuchFileOrDirectory }
        return Self.named(try views.device.appsOrErrno(), try names).map { name, app in
            CompositeEntry(name, .part(Self.partName(of: app)))
        }
    }

    var names: NamePolicy { get throws(Errno) { try views.device.namesOrErrno() } }

    func open(_ part: String) throws(Errno) -> CompositePart {
        guard let app = try views.device.appsOrErrno().first(where: { Self.partName(of: $0) == part }) else {
            throw .noSuchFileOrDirectory
        }
        return try views.part(of: .app(app)) { (tree) throws(Errno) in
            try HomeFileSystem(
                documentsOf: tree,
                listsPrefixedAttributes: try views.device.settingsOrErrno().attributeList == .user)
        }
    }

    func statistics() throws(Errno) -> statvfs { try views.statistics() }

    /// Another container is another part, also of an app that was removed and has come again.
    private static func partName(of app: InstalledApp) -> String { app.dataContainer.uuidString }

    /// The apps that offer themselves, each under the name that it has in Files: in the order of their
    /// identifiers, so that of two that are called the same it is always the same one that gets a number.
    static func named(_ apps: [InstalledApp], _ names: NamePolicy) -> [(name: String, app: InstalledApp)] {
        var taken: Set<NameKey> = []
        return apps.filter(\.sharing.files).sorted { $0.bundleID.value < $1.bundleID.value }.map { app in
            let name = FilesName.first(for: app.displayName) { !taken.contains(names.key($0)) }
            taken.insert(names.key(name))
            return (name, app)
        }
    }
}

extension Device {
    /// - Throws: EIO where the catalogue cannot be read.
    func appsOrErrno() throws(Errno) -> [InstalledApp] {
        do { return try apps() } catch { throw .ioError }
    }

    /// - Throws: EIO where the settings cannot be read.
    func settingsOrErrno() throws(Errno) -> DeviceSettings {
        do { return try settings() } catch { throw .ioError }
    }

    /// How names are compared where no home's mount says otherwise.
    /// - Throws: EIO where the settings cannot be read.
    func namesOrErrno() throws(Errno) -> NamePolicy { NamePolicy(name: try settingsOrErrno().names.rawValue) }
}
