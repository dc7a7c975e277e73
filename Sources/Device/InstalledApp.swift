public import Foundation
public import SandboxRules

/// An app as the catalogue has it.
public struct InstalledApp: Sendable, Equatable {
    public let bundleID: BundleIdentifier
    /// The name of the bundle's directory without `.app`.
    public let name: String
    /// `CFBundleDisplayName`, else `CFBundleName`, else `name`.
    public let displayName: String
    public let version: String?
    /// `CFBundleExecutable`.
    public let executable: String?
    /// The directory in `Containers/Bundle/Application`; nil for a placeholder.
    public let bundleContainer: UUID?
    /// The directory in `Containers/Data/Application`.
    public let dataContainer: UUID
    public let groups: [GroupIdentifier]
    public let sharing: SharingKeys
    /// The entitlements property list; nil where there is none.
    public let entitlements: [UInt8]?
    public let entitlementsSource: EntitlementsSource
    /// When the bundle was installed (for a placeholder: its data restored).
    public let installed: Date
    /// SHA-256 of the file with the bundle's seal.
    let sealDigest: String?

    /// Whether the data is here and the bundle is not.
    public var isPlaceholder: Bool { bundleContainer == nil }

    /// `Name.app`.
    public var bundleName: String { name + ".app" }

    /// The bundle's directory, relative to the device's folder; nil for a placeholder.
    public var bundlePath: String? { bundleContainer.map { "\(Layout.bundleContainer($0))/\(bundleName)" } }

    /// The data container, relative to the device's folder.
    public var dataPath: String { Layout.dataContainer(dataContainer) }
}

/// Where things lie in a device's folder, as on iOS 8 and later.
enum Layout {
    static let bundles = "Containers/Bundle/Application"
    static let data = "Containers/Data/Application"
    static let groups = "Containers/Shared/AppGroup"
    /// Changes are prepared in here, and nothing in here is kept over a start.
    static let staging = "Staging"
    static let catalogue = "catalogue.sqlite"
    /// The daemon's: lock, socket, log.
    static let run = "run"

    /// What an app finds in its data container, with `SystemData`, which it does not see.
    static let homeDirectories = [
        "Documents", "Library", "Library/Caches", "Library/Preferences", "SystemData", "tmp",
    ]

    static func bundleContainer(_ id: UUID) -> String { "\(bundles)/\(id.uuidString)" }
    static func dataContainer(_ id: UUID) -> String { "\(data)/\(id.uuidString)" }
    static func groupContainer(_ id: UUID) -> String { "\(groups)/\(id.uuidString)" }
}
