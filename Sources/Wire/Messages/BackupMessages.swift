public import Posix

/// What a client asks of backups. The daemon ends the work when the client goes.
public enum BackupRequest: Codable, Equatable, Sendable {
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
    /// Gives an app the containers back that its last restore replaced; `isConfirmed`: also where one that
    /// was begun later did not take place.
    case undoRestore(app: String, remounts: Bool, isConfirmed: Bool)
    /// Gives an app an empty container, as at its first launch.
    case reset(app: String, remounts: Bool)
    /// Removes what is kept of these apps for `undoRestore`; of all, where none is named. `isConfirmed`
    /// false: only say what that is.
    case forgetUndo(apps: [String], isConfirmed: Bool)
    case home(HomeSnapshotRequest)
}

public enum BackupAnswer: Codable, Equatable, Sendable {
    case created(BackupCreated)
    case measured(BackupMeasure)
    case restored(RestoreOutcome)
    case snapshots([CloudSnapshot])
    /// To `forgetUndo`.
    case undoCopies([UndoCopy])
    case homeSnapshotTaken(HomeSnapshotTaken)
    case homeSnapshots([HomeSnapshotInfo])
    /// The folders of the two, which are there as long as the connection.
    case comparedSnapshots(from: String, to: String)
}

public struct SnapshotArguments: Codable, Equatable, Sendable {
    /// None: all of the device. Of others the snapshot has what the one before it has.
    public var apps: [String]
    /// Which of the device's snapshots stay; nil: all.
    public var keep: KeptSnapshots?
    /// More than that is refused, before anything is sent.
    public var mostBytes: Int64?

    public init(apps: [String] = [], keep: KeptSnapshots? = nil, mostBytes: Int64? = nil) {
        self.apps = apps
        self.keep = keep
        self.mostBytes = mostBytes
    }
}

/// Which of a device's snapshots stay.
public enum KeptSnapshots: Codable, Equatable, Sendable {
    /// So many, the newest.
    case newest(Int)
    /// Those that are not older, in seconds.
    case younger(Int64)
}

public struct SnapshotRestoreArguments: Codable, Equatable, Sendable {
    public var choice: RestoreArguments
    /// The newest that is not later; seconds since 1970.
    public var atSeconds: Int64?
    /// Whose snapshots, by name or the beginning of the id; nil: this device's, or where it has none those of
    /// the only other one.
    public var device: String?

    public init(
        choice: RestoreArguments = RestoreArguments(), atSeconds: Int64? = nil, device: String? = nil
    ) {
        self.choice = choice
        self.atSeconds = atSeconds
        self.device = device
    }
}

/// A snapshot in the account's store, as `backup list --cloud --json` prints it.
public struct CloudSnapshot: Codable, Equatable, Sendable {
    /// ISO 8601, UTC: what `--at` takes.
    public var time: String
    /// As `--of` takes it.
    public var device: String
    public var deviceName: String?
    public var isThisDevice: Bool
    /// Why it cannot be read; nil where it can.
    public var damage: String?
    public var files: Int64
    public var bytes: Int64
    public var apps: [Part]
    public var groups: [Part]

    public init(
        time: String, device: String, deviceName: String? = nil, isThisDevice: Bool, damage: String? = nil,
        files: Int64 = 0, bytes: Int64 = 0, apps: [Part] = [], groups: [Part] = []
    ) {
        self.time = time
        self.device = device
        self.deviceName = deviceName
        self.isThisDevice = isThisDevice
        self.damage = damage
        self.files = files
        self.bytes = bytes
        self.apps = apps
        self.groups = groups
    }

    /// An app, or a group of apps.
    public struct Part: Codable, Equatable, Sendable {
        public var identifier: String
        public var version: String?
        /// When it was read on the device: earlier, where the snapshot was made of other apps.
        public var time: String
        public var files: Int64
        public var bytes: Int64

        public init(identifier: String, version: String? = nil, time: String, files: Int64, bytes: Int64) {
            self.identifier = identifier
            self.version = version
            self.time = time
            self.files = files
            self.bytes = bytes
        }
    }
}

public struct RestoreArguments: Codable, Equatable, Sendable, Confidential {
    /// Names or identifiers; none: all apps of the backup.
    public var apps: [String]
    /// Groups too of which another app of this device is no part of the restore.
    public var allGroups: Bool
    /// Whether open mounts go over to what is restored, instead of keeping it back.
    public var remounts: Bool
    /// Whether what is damaged loses itself alone, and not its app.
    public var salvages: Bool
    /// Whether it is only said what would be restored.
    public var isDryRun: Bool
    /// Nil for a plain backup.
    public var password: String?

    public init(
        apps: [String] = [], allGroups: Bool = false, remounts: Bool = false, salvages: Bool = false,
        isDryRun: Bool = false, password: String? = nil
    ) {
        self.apps = apps
        self.allGroups = allGroups
        self.remounts = remounts
        self.salvages = salvages
        self.isDryRun = isDryRun
        self.password = password
    }
}

/// What a restore did, as `backup restore --json` prints it.
public struct RestoreOutcome: Codable, Equatable, Sendable {
    public var apps: [RestoredApp]
    /// Groups that the backup has and that were left as they are.
    public var otherGroups: [String]
    /// What a person should know of the backup itself.
    public var notes: [String]

    public init(apps: [RestoredApp] = [], otherGroups: [String] = [], notes: [String] = []) {
        self.apps = apps
        self.otherGroups = otherGroups
        self.notes = notes
    }
}

/// What is kept of an app so that its last restore or reset can be taken back.
public struct UndoCopy: Codable, Equatable, Sendable {
    public var bundleID: String
    public var name: String
    /// When that was; nil where nobody noted it.
    public var time: Timestamp?
    public var bytes: Int64

    public init(bundleID: String, name: String, time: Timestamp? = nil, bytes: Int64) {
        self.bundleID = bundleID
        self.name = name
        self.time = time
        self.bytes = bytes
    }
}

/// What became of an app: restored whole, or left as it was.
public struct RestoredApp: Codable, Equatable, Sendable {
    public var bundleID: String
    /// As commands take it: its identifier, where its name is another app's too.
    public var name: String
    /// Why it was left as it was; nil where it is restored.
    public var failure: String?
    public var isPlaceholder: Bool
    public var files: Int
    public var bytes: Int64
    public var groups: [String]
    /// Files taken over from before, which no backup holds or which sync knows.
    public var carriedFiles: Int
    /// Files that are as they were in what was replaced only.
    public var behind: Int
    /// What is kept to take this back.
    public var undoBytes: Int64
    public var notes: [String]
    /// What was damaged, and is not restored: the first hundred.
    public var lost: [String]
    public var lostCount: Int

    /// - Parameter name: nil: the identifier.
    public init(
        bundleID: String, name: String? = nil, failure: String? = nil, isPlaceholder: Bool = false,
        files: Int = 0, bytes: Int64 = 0, groups: [String] = [], carriedFiles: Int = 0, behind: Int = 0,
        undoBytes: Int64 = 0, notes: [String] = [], lost: [String] = [], lostCount: Int = 0
    ) {
        self.bundleID = bundleID
        self.name = name ?? bundleID
        self.undoBytes = undoBytes
        self.failure = failure
        self.isPlaceholder = isPlaceholder
        self.files = files
        self.bytes = bytes
        self.groups = groups
        self.carriedFiles = carriedFiles
        self.behind = behind
        self.notes = notes
        self.lost = lost
        self.lostCount = lostCount
    }
}

public struct BackupArguments: Codable, Equatable, Sendable, Confidential {
    /// None: all of the device.
    public var apps: [String]
    /// Nil: the backup is plain.
    public var password: String?
    /// More than that is refused, before anything is written.
    public var mostBytes: Int64?
    /// Whether apps that are not on the device any more leave the backup, with their groups.
    public var prunes: Bool

    public init(
        apps: [String] = [], password: String? = nil, mostBytes: Int64? = nil, prunes: Bool = false
    ) {
        self.apps = apps
        self.password = password
        self.mostBytes = mostBytes
        self.prunes = prunes
    }
}

/// A backup that was made, as `backup create --json` prints it.
public struct BackupCreated: Codable, Equatable, Sendable {
    /// The name of what was made in the directory.
    public var name: String
    /// Identifiers.
    public var apps: [String]
    /// How they are called, in the same order.
    public var appNames: [String]
    public var groups: [String]
    public var items: Int
    public var files: Int
    public var bytes: Int64
    /// Files that an earlier backup had, and that did not change.
    public var unchangedFiles: Int
    /// What is not in it as it should be: the first thousand.
    public var leftOut: [BackupOmission]
    public var leftOutCount: Int
    /// Items that their skip-backup flag kept out, a directory with all in it as one.
    public var flagged: Int
    /// Of a snapshot in the cloud: what the store did not have.
    public var sentBytes: Int64?
    /// How many earlier ones went; of a backup in a folder: apps and groups that are gone from the device.
    public var pruned: Int?

    public init(
        name: String, apps: [String] = [], appNames: [String] = [], groups: [String] = [], items: Int = 0,
        files: Int = 0, bytes: Int64 = 0, unchangedFiles: Int = 0, leftOut: [BackupOmission] = [],
        leftOutCount: Int = 0, flagged: Int = 0, sentBytes: Int64? = nil, pruned: Int? = nil
    ) {
        self.appNames = appNames
        self.name = name
        self.apps = apps
        self.groups = groups
        self.items = items
        self.files = files
        self.bytes = bytes
        self.unchangedFiles = unchangedFiles
        self.leftOut = leftOut
        self.leftOutCount = leftOutCount
        self.flagged = flagged
        self.sentBytes = sentBytes
        self.pruned = pruned
    }
}

/// An item that is not in a backup, or not as it should be.
public struct BackupOmission: Codable, Equatable, Sendable {
    public var domain: String
    public var path: String
    public var reason: String

    public init(domain: String, path: String, reason: String) {
        self.domain = domain
        self.path = path
        self.reason = reason
    }
}

/// What a backup would hold, as `backup create --dry-run --json` prints it.
public struct BackupMeasure: Codable, Equatable, Sendable {
    public var areas: [Area]
    /// The largest first.
    public var largest: [Item]
    public var files: Int
    public var bytes: Int64

    public init(areas: [Area] = [], largest: [Item] = [], files: Int = 0, bytes: Int64 = 0) {
        self.areas = areas
        self.largest = largest
        self.files = files
        self.bytes = bytes
    }

    public struct Area: Codable, Equatable, Sendable {
        /// The app's identifier, or the group's.
        public var owner: String
        /// How that is called.
        public var name: String
        /// `Documents`, `Library` or `group`.
        public var area: String
        public var files: Int
        public var bytes: Int64

        public init(owner: String, name: String, area: String, files: Int = 0, bytes: Int64 = 0) {
            self.owner = owner
            self.name = name
            self.area = area
            self.files = files
            self.bytes = bytes
        }
    }

    public struct Item: Codable, Equatable, Sendable {
        public var owner: String
        public var name: String
        /// From the container's root.
        public var path: String
        public var bytes: Int64

        public init(owner: String, name: String, path: String, bytes: Int64) {
            self.owner = owner
            self.name = name
            self.path = path
            self.bytes = bytes
        }
    }
}

extension BackupMeasure {
    /// The exit status of a gate that does not let it pass (SPEC 8).
    private static let tooLargeStatus: Int32 = 3

    /// - Throws: with status 3, where it is larger than that.
    public func check(mostBytes: Int64) throws {
        guard bytes > mostBytes else { return }
        let most = largest.first.map { ", \(byteCount($0.bytes)) of them \($0.name)'s \($0.path)" } ?? ""
        throw CommandFailure(
            "a backup would hold \(byteCount(bytes)), more than \(byteCount(mostBytes))\(most): keep out "
                + "what can be made again (apphome skip-backup set PATH, in the mount); the largest: "
                + "apphome backup create --dry-run",
            exitStatus: Self.tooLargeStatus)
    }
}
