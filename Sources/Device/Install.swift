internal import SandboxRules

/// Where a bundle comes from. The descriptors are the caller's, and stay open for the length of the call.
public enum InstallSource: Sendable {
    /// A bundle's directory, open for reading, and its name (`Recipes.app`).
    case bundle(directory: Int32, name: String)
    /// An `.ipa` archive: a regular file, open for reading.
    case archive(file: Int32)

    /// What an error calls it.
    var title: String {
        switch self {
        case .bundle(_, let name): name
        case .archive: "the .ipa"
        }
    }
}

/// What an install did.
public struct InstallResult: Sendable {
    public let app: InstalledApp
    /// The app (or placeholder) that was there with the same identifier; nil for a first install.
    public let replaced: InstalledApp?
    /// Whether the bundle brought no entitlements, and those of the replaced app stay in force.
    public let keptEntitlements: Bool
    /// What a person should know, one line each.
    public let notes: [String]
}

/// The steps of an install, in order. A process can end after each: the device then has the old app or the
/// new one.
enum InstallStep: CaseIterable, Sendable {
    /// The bundle's files lie in staging.
    case copied
    /// Seal and metadata too.
    case sealed
    /// All of it is on the disk.
    case synchronized
    /// The journal names what is going to happen.
    case journaled
    case bundlePublished
    case dataPublished
    case groupsPublished
    /// The catalogue has the new app.
    case committed
    /// The old app's containers are gone.
    case cleaned
    case ended
}

/// Thrown by a test in the place of the process's end: nothing is put in order after it.
struct ProcessEnded: Error {}

/// A bundle in staging, sealed, and what it says of itself.
struct StagedApp {
    let bundle: BundleInspection
    let sealDigest: String
}

/// Called when an installed app is about to be replaced; throwing refuses the install.
public typealias ReplacementCheck = (_ installed: InstalledApp) throws -> Void
