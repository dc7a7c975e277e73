internal import Device
internal import FoundationEssentials
internal import SandboxRules
internal import Wire

/// Where the daemon has views mounted for programs, below the device's `run/`.
enum RunPlace {
    static let homes = "homes"
    static let groups = "groups"

    /// The folder of an app's views.
    static func views(of app: InstalledApp) -> String { "\(homes)/\(app.dataContainer.uuidString)" }

    static func view(_ kind: MountKind, of app: InstalledApp) -> String {
        "\(views(of: app))/\(kind.rawValue)"
    }

    /// Where a group is mounted for all its apps.
    static func group(_ group: GroupIdentifier) -> String { "\(groups)/\(group)" }
}
