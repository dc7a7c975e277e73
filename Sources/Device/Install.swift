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
    /// What a person should know, one line each.
    public internal(set) var notes: [String]
}

extension InstallResult {
    init(_ app: InstalledApp, _ staged: StagedApp, replacing old: InstalledApp?) {
        let areKept = EntitlementsSource.inForce(staged.bundle, replacing: old).areKept
        let note = "\(app.name) brings no entitlements: those of the installed one stay in force"
        self.init(app: app, replaced: old, notes: areKept ? [note] : [])
    }
}

/// What an install does where the app is there already.
public struct Upgrade {
    /// Whether `Library/Caches` is emptied too; a device may do either.
    public var dropsCaches = false
    /// Asked with the installed app and, once it is known, the new one, before anything of the old is
    /// touched. Throws to refuse.
    public var willReplace: (_ installed: InstalledApp, _ new: InstalledApp?) throws -> Void = { _, _ in }
    /// Told when the new app is the app, and before the old one's bundle goes. Where somebody has the data
    /// open: empties the directories that are named, and answers true; the old bundle then stays until
    /// `removeReplacedBundles`. Else false, and nothing is open.
    public var handOver: (_ new: InstalledApp, _ emptied: [String]) throws -> Bool = { _, _ in false }

    public init() {}
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
    /// Whoever has the data open has the new app's; what was temporary in it is gone, and so are groups that
    /// nobody has any more.
    case handedOver
    /// The old app's bundle is gone.
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
