internal import CloudSync

/// What a client asks of backups. The daemon ends the work when the client goes.
enum BackupRequest: Codable, Equatable {
    /// Descriptor: the directory to put the backup's folder in.
    case create(BackupArguments)
    /// What a backup of these apps would hold; of all, where none is named.
    case measure(apps: [String])
    /// Xcode's package of an app's container. Descriptor: the directory to make it in.
    case createPackage(app: String, name: String)
    /// Descriptor: the backup's folder.
    case restore(RestoreArguments)
    /// Xcode's package of an app's container. Descriptor: its folder.
    case restorePackage(app: String?, remounts: Bool)
    /// A snapshot in the account's store.
    case createSnapshot(SnapshotArguments)
    case listSnapshots
    case restoreSnapshot(SnapshotRestoreArguments)
    /// Gives an app the containers back that its last restore replaced.
    case undoRestore(app: String, remounts: Bool)
}

enum BackupAnswer: Codable, Equatable {
    case created(BackupCreated)
    case measured(BackupMeasure)
    case restored(RestoreOutcome)
    case snapshots([CloudSnapshot])
}

struct SnapshotArguments: Codable, Equatable {
    /// None: all of the device. Of others the snapshot has what the one before it has.
    var apps: [String] = []
    /// Which of the device's snapshots stay; nil: all.
    var keep: KeptBackups?
    /// More than that is refused, before anything is sent.
    var mostBytes: Int64?
}

struct SnapshotRestoreArguments: Codable, Equatable {
    var choice = RestoreArguments()
    /// The newest that is not later; seconds since 1970.
    var atSeconds: Int64?
    /// Whose snapshots, by name or the beginning of the id; nil: this device's, or where it has none those of
    /// the only other one.
    var device: String?
}

/// A snapshot in the account's store, as `backup list --cloud --json` prints it.
struct CloudSnapshot: Codable, Equatable {
    /// ISO 8601, UTC: what `--at` takes.
    var time: String
    /// As `--of` takes it.
    var device: String
    var deviceName: String?
    var isThisDevice: Bool
    /// Why it cannot be read; nil where it can.
    var damage: String?
    var files: Int64 = 0
    var bytes: Int64 = 0
    var apps: [Part] = []
    var groups: [Part] = []

    /// An app, or a group of apps.
    struct Part: Codable, Equatable {
        var identifier: String
        var version: String?
        /// When it was read on the device: earlier, where the snapshot was made of other apps.
        var time: String
        var files: Int64
        var bytes: Int64
    }
}

struct RestoreArguments: Codable, Equatable {
    /// Names or identifiers; none: all apps of the backup.
    var apps: [String] = []
    /// Groups too of which another app of this device is no part of the restore.
    var allGroups = false
    /// Whether open mounts go over to what is restored, instead of keeping it back.
    var remounts = false
    /// Nil for a plain backup.
    var password: String?
}

/// What a restore did, as `backup restore --json` prints it.
struct RestoreOutcome: Codable, Equatable {
    var apps: [RestoredApp] = []
    /// Groups that the backup has and that were left as they are.
    var otherGroups: [String] = []
}

/// What became of an app: restored whole, or left as it was.
struct RestoredApp: Codable, Equatable {
    var bundleID: String
    /// Why it was left as it was; nil where it is restored.
    var failure: String?
    var isPlaceholder = false
    var files = 0
    var bytes: Int64 = 0
    var groups: [String] = []
    /// Files taken over from before, which no backup holds or which sync knows.
    var carriedFiles = 0
    /// Files that are as they were in what was replaced only.
    var behind = 0
    var notes: [String] = []
}

struct BackupArguments: Codable, Equatable {
    /// None: all of the device.
    var apps: [String] = []
    /// Nil: the backup is plain.
    var password: String?
    /// More than that is refused, before anything is written.
    var mostBytes: Int64?
}

/// A backup that was made, as `backup create --json` prints it.
struct BackupCreated: Codable, Equatable {
    /// The name of what was made in the directory.
    var name: String
    /// Identifiers.
    var apps: [String] = []
    var groups: [String] = []
    var items = 0
    var files = 0
    var bytes: Int64 = 0
    /// Files that an earlier backup had, and that did not change.
    var unchangedFiles = 0
    /// What is not in it as it should be: the first thousand.
    var leftOut: [BackupOmission] = []
    var leftOutCount = 0
    /// Of a snapshot in the cloud: what the store did not have.
    var sentBytes: Int64?
    /// And how many earlier ones went.
    var pruned: Int?
}

/// An item that is not in a backup, or not as it should be.
struct BackupOmission: Codable, Equatable {
    var domain: String
    var path: String
    var reason: String
}

/// What a backup would hold, as `backup create --dry-run --json` prints it.
struct BackupMeasure: Codable, Equatable {
    var areas: [Area] = []
    /// The largest first.
    var largest: [Item] = []
    var files = 0
    var bytes: Int64 = 0

    struct Area: Codable, Equatable {
        /// The app's identifier, or the group's.
        var owner: String
        /// `Documents`, `Library` or `group`.
        var area: String
        var files = 0
        var bytes: Int64 = 0
    }

    struct Item: Codable, Equatable {
        var owner: String
        /// From the container's root.
        var path: String
        var bytes: Int64
    }
}
