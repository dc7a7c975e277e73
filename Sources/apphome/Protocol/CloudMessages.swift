/// What a client asks of the cloud.
enum CloudRequest: Codable, Equatable {
    case account
    case setAccount(CloudAccountArguments)
    /// Races conditional writes against the account's store.
    case probe
    /// Copies every object to another, empty store.
    case copyAccount(CloudAccountArguments)
    case turn(app: String, isOn: Bool)
    case path(app: String)
    case status(app: String?)
    case sync(CloudSyncArguments)
    /// Rates in bytes a second, 0: no limit; nil: as they are.
    case pause(upRate: Int64?, downRate: Int64?)
    case resume(upRate: Int64?, downRate: Int64?)
    case devices
    case forget(device: String)
    case list(app: String, path: String)
    case remove(app: String, path: String)
    case log(app: String, limit: Int)
    case conflicts(app: String)
    /// Descriptor: where the bytes go.
    case cat(app: String, path: String, version: String?)
    case check(repairs: Bool)
    case collect
    case quota
    /// Before an unmount: brings a home's sync to rest, for at most so many seconds; nil: as long as it
    /// takes.
    case settle(directory: String, seconds: Double?)
}

struct CloudAccountArguments: Codable, Equatable {
    var url: String
    var accessKeyID: String?
    var secretAccessKey: String?
    var sessionToken: String?
    /// A profile, and the credentials file where the daemon finds it.
    var profile: String?
    var credentialsFile: String?
    /// Variables of the person's environment that say how the store is reached.
    var network: [String: String] = [:]
}

struct CloudSyncArguments: Codable, Equatable {
    var app: String?
    var confirmsDeletes = false
    /// Goes on while there is something left to do and it gets nearer.
    var waits = false
}

/// What the daemon answers to them.
enum CloudAnswer: Codable, Equatable {
    case account(CloudAccountReport)
    case path(String?, reason: String?)
    case status(CloudStatusReport)
    case devices([CloudDevice])
    case items([CloudItem])
    case log([CloudLogEntry])
    case conflicts([CloudConflict])
    /// To `sync` and `remove`.
    case synced(CloudSyncReport)
    case check(CloudCheckReport)
    case collected(CloudCollection)
    case quota(CloudQuota)
    /// To `settle`: what is left.
    case left(CloudSyncReport)
}

/// What a sync has left to do.
struct CloudSyncReport: Codable, Equatable {
    /// Not in the store yet.
    var files = 0
    var bytes: Int64 = 0
    /// Items whose newest state is not on this disk yet.
    var downloads = 0
    /// Not all documents were looked at: more may have to go up.
    var isRescanDue = false
    /// Sync stands still until a person resumes it.
    var isPaused = false
    /// What is wrong and what to do; nil where nothing is.
    var trouble: String?

    /// Whether something is not in the store, or may not be.
    var isUploadLeft: Bool { files > 0 || isRescanDue }
}

/// What `cloud account show` prints.
struct CloudAccountReport: Codable, Equatable {
    var url: String
    /// The first letters of the key's id; nil where the store wants none.
    var accessKey: String?
    var profile: String?
    /// This device's id in the account; nil before its first contact.
    var device: String?
    /// What lies there, and how a person reads it.
    var notes: [String] = []
}

/// What `cloud status` prints.
struct CloudStatusReport: Codable, Equatable {
    var account: String
    /// "idle", "syncing", "paused", "signed-out", or what is wrong: a word of `SyncStatus`.
    var state: String
    /// What is wrong and what to do; nil where nothing is.
    var text: String?
    /// Seconds since 1970; nil before the first.
    var lastContact: Double?
    var quotaBytes: Int64
    var usedBytes: Int64?
    var apps: [CloudAppStatus]
}

struct CloudAppStatus: Codable, Equatable {
    var app: String
    var bundleID: String
    /// False: switched off by `cloud off`.
    var isOn: Bool
    /// Whether a mount of it keeps it in step.
    var isWatched: Bool
    var state: String
    var text: String?
    var pendingFiles: Int
    var pendingBytes: Int64
    /// Bytes a second that go up now.
    var uploadRate: Int64
    /// Items whose newest state is not here yet, and bytes a second that come down now.
    var pendingDownloads = 0
    var downloadRate: Int64 = 0
    var conflicts: Int
    var dataless: Int
    /// Deletes that a rescan inferred and that wait for `cloud sync --confirm-deletes`.
    var heldDeletes: Int
    var documents: Int
    var documentBytes: Int64
    /// What changed while nobody looked is still to be found.
    var isRescanDue = false
}

struct CloudDevice: Codable, Equatable {
    var id: String
    var name: String
    /// Seconds since 1970.
    var lastSeen: Double?
    var isThis: Bool
}

struct CloudItem: Codable, Equatable {
    var path: String
    /// "file", "directory" or "symlink".
    var kind: String
    var size: Int64
    /// Seconds since 1970.
    var modified: Double
    /// As `com.apple.ubiquity.status` has it.
    var status: String
}

struct CloudLogEntry: Codable, Equatable {
    var sequence: UInt64
    /// Seconds since 1970, by the store's clock.
    var time: Double
    var device: String
    var operation: String
    var path: String
}

struct CloudConflict: Codable, Equatable {
    var path: String
    var versions: [CloudVersion]
}

struct CloudVersion: Codable, Equatable {
    /// As `cloud cat --version` takes it.
    var id: String
    var isCurrent: Bool
    var size: Int64
    var modified: Double
    var device: String
}

struct CloudCheckReport: Codable, Equatable {
    var references: Int
    var sampled: Int
    var missing: [String]
    var damaged: [String]
    var repaired: Int
}

struct CloudCollection: Codable, Equatable {
    var objects: Int
    var deleted: Int
    var freedBytes: Int64
}

struct CloudQuota: Codable, Equatable {
    var quotaBytes: Int64
    var usedBytes: Int64
    var apps: [CloudAppUse]
    /// What snapshots of backups keep that no document does.
    var backupBytes: Int64
}

struct CloudAppUse: Codable, Equatable {
    var app: String
    var bytes: Int64
}
