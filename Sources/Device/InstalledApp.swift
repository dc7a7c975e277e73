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
    /// What its directory in the Files app is called; nil where the app does not offer itself there.
    public internal(set) var filesName: String?

    /// Whether the data is here and the bundle is not.
    public var isPlaceholder: Bool { bundleContainer == nil }

    /// `Name.app`.
    public var bundleName: String { name + ".app" }

    /// The bundle's directory, relative to the device's folder; nil for a placeholder.
    public var bundlePath: String? { bundleContainer.map { "\(Layout.bundleContainer($0))/\(bundleName)" } }

    /// The data container, relative to the device's folder.
    public var dataPath: String { Layout.dataContainer(dataContainer) }
}
