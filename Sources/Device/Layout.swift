internal import Foundation
internal import SandboxRules

/// Where things lie in a device's folder, as on iOS 8 and later.
enum Layout {
    static let bundles = "Containers/Bundle/Application"
    static let data = "Containers/Data/Application"
    static let groups = "Containers/Shared/AppGroup"
    /// Changes are prepared in here, and nothing in here is kept over a start.
    static let staging = "Staging"
    static let catalogue = "catalogue.sqlite"
    /// Containers that a restore replaced, until the next one.
    static let replaced = "Replaced"
    /// For each container what the daemon prepares and keeps apart for it, on the same file system: no view
    /// leads there.
    static let containerStaging = "ContainerStaging"
    /// What sync remembers, a file for each app.
    static let cloud = "Cloud"
    /// What is remembered of findings.
    static let findings = "Findings"
    /// For each app, by its identifier, what `apphome snapshot` keeps.
    static let snapshots = "Snapshots"
    /// For each app, by its identifier, what toolchains keep that run as it.
    static let toolHomes = AppEnvironment.toolHomes
    /// Of folders that hold what made the device before it was erased.
    static let removedPrefix = ".removed-"
    /// The daemon's: lock, socket, log.
    static let run = "run"

    /// What an app finds in its data container, with `SystemData`, which it does not see.
    static let homeDirectories = [
        "Documents", "Library", "Library/Caches", "Library/Preferences", "SystemData", "tmp",
    ]

    /// What a group's container has on every device.
    static let groupDirectories = ["Library", "Library/Caches", "Library/Preferences"]

    static func bundleContainer(_ id: UUID) -> String { "\(bundles)/\(id.uuidString)" }
    static func dataContainer(_ id: UUID) -> String { "\(data)/\(id.uuidString)" }
    static func groupContainer(_ id: UUID) -> String { "\(groups)/\(id.uuidString)" }
    static func replacedContainer(_ id: UUID) -> String { "\(replaced)/\(id.uuidString)" }
    static func toolHome(of bundleID: String) -> String { AppEnvironment.toolHome(of: bundleID) }
    static func staging(of container: UUID) -> String { "\(containerStaging)/\(container.uuidString)" }
}
