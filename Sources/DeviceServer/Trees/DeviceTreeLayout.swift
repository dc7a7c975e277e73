internal import CLinux
internal import Device
internal import Foundation
internal import Posix
internal import SandboxFS
internal import SandboxRules
internal import SystemPackage

/// The whole device as it is on iOS (SPEC 3, `device root`): containers where iOS has them, each with its
/// rules in force.
struct DeviceTreeLayout: DeviceLayout {
    let views: Views
    /// The one app whose containers can be entered; nil: all can.
    let app: BundleIdentifier?

    private static let mobile = "private/var/mobile/Containers"
    private static let bundles = "private/var/containers/Bundle/Application"
    private static let files = "On My iPhone"

    func showsDocuments(of app: InstalledApp) -> Bool { isOpen(app) }

    func entries(of path: String) throws(Errno) -> [CompositeEntry] {
        switch path {
        case "":
            [
                directory("On My iPhone"), directory("private"),
                CompositeEntry("var", .link(to: "private/var")),
            ]
        case "private": [directory("var")]
        case "private/var": [directory("containers"), directory("mobile")]
        case "private/var/containers": [directory("Bundle")]
        case "private/var/containers/Bundle": [directory("Application")]
        case "private/var/mobile": [directory("Containers")]
        case Self.mobile:
            // Where bundles lay on iOS 8.
            [
                CompositeEntry("Bundle", .link(to: "../../containers/Bundle")), directory("Data"),
                directory("Shared"),
            ]
        case Self.mobile + "/Data": [directory("Application")]
        case Self.mobile + "/Shared": [directory("AppGroup")]
        case Self.mobile + "/Data/Application":
            try apps.map { container($0.dataContainer, .data, isOpen: isOpen($0)) }
        case Self.mobile + "/Shared/AppGroup":
            try groups().map { container($0.container, .group, isOpen: isOpen($0)) }
        case Self.bundles:
            try apps.compactMap { app in
                app.bundleContainer.map { CompositeEntry($0.uuidString, isOpen(app) ? .directory : .closed) }
            }
        case Self.files: try links()
        default: try bundle(below: path)
        }
    }

    func open(_ part: String) throws(Errno) -> CompositePart {
        guard let (kind, id) = Part.parse(part) else { throw .noSuchFileOrDirectory }
        switch kind {
        case .data:
            let app = try first(apps) { $0.dataContainer.uuidString == id }
            return try views.part(of: .app(app)) { (tree) throws(Errno) in
                HomeFileSystem(
                    tree: tree, showsBundle: false, listsPrefixedAttributes: try listsPrefixed, role: .guest)
            }
        case .bundle:
            let app = try first(apps) { $0.bundleContainer?.uuidString == id }
            return try views.part(of: .app(app)) { (tree) throws(Errno) in
                try HomeFileSystem(
                    bundleOf: tree, listsPrefixedAttributes: try listsPrefixed, role: .guest)
            }
        case .group:
            let group = try first(groups()) { $0.container.uuidString == id }
            return try views.part(of: .group(group)) { (tree) throws(Errno) in
                HomeFileSystem(tree: tree, listsPrefixedAttributes: try listsPrefixed, role: .guest)
            }
        }
    }

    /// Names of parts: what is shown, and the container's identifier.
    private enum Part: String {
        case data, bundle, group

        func name(_ container: UUID) -> String { "\(rawValue):\(container.uuidString)" }

        static func parse(_ name: String) -> (Part, String)? {
            let parts = name.parts(between: ":", keepingEmpty: true)
            guard parts.count == 2, let kind = Part(rawValue: parts[0]) else { return nil }
            return (kind, parts[1])
        }
    }

    private func directory(_ name: String) -> CompositeEntry { CompositeEntry(name, .directory) }

    private func container(_ id: UUID, _ part: Part, isOpen: Bool) -> CompositeEntry {
        CompositeEntry(id.uuidString, isOpen ? .part(part.name(id)) : .closed)
    }

    /// The documents of the apps that Files shows.
    private func links() throws(Errno) -> [CompositeEntry] {
        try apps.compactMap { app in
            let data = "../\(Self.mobile)/Data/Application/\(app.dataContainer.uuidString)"
            return app.filesName.map { CompositeEntry($0, .link(to: data + "/Documents")) }
        }
    }

    /// A bundle's container holds `Name.app`.
    private func bundle(below path: String) throws(Errno) -> [CompositeEntry] {
        let app = try first(apps) { app in
            app.bundleContainer.map { "\(Self.bundles)/\($0.uuidString)" == path } ?? false
        }
        guard let container = app.bundleContainer else { throw .noSuchFileOrDirectory }
        return [CompositeEntry(app.bundleName, .part(Part.bundle.name(container)))]
    }

    private func isOpen(_ other: InstalledApp) -> Bool { app == nil || other.bundleID == app }
    private func isOpen(_ group: GroupContainer) -> Bool { app.map(group.owners.contains) ?? true }

    private func groups() throws(Errno) -> [GroupContainer] {
        do { return try views.device.groupContainers() } catch { throw .ioError }
    }

    private func first<T>(_ all: [T], _ isMeant: (T) -> Bool) throws(Errno) -> T {
        guard let found = all.first(where: isMeant) else { throw .noSuchFileOrDirectory }
        return found
    }
}
