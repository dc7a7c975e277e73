internal import Posix

/// What `cloud rm --forever` did.
public struct CloudRemoval: Codable, Equatable, Sendable {
    /// Deleted contents that the store keeps until `end` at most.
    public var contents: Int
    public var end: Timestamp
    /// Deleted contents that are kept longer: other documents, deleted or not, have the same bytes.
    public var kept: Int

    public init(contents: Int, end: Timestamp, kept: Int) {
        self.contents = contents
        self.end = end
        self.kept = kept
    }
}

/// What a sync has left to do.
public struct CloudSyncReport: Codable, Equatable, Sendable {
    /// What changed here and is not in the store yet: documents and deletes.
    public var changes: Int
    public var bytes: Int64
    /// Items whose newest state is not on this disk yet.
    public var downloads: Int
    /// Not all documents were looked at: more may have to go up.
    public var isRescanDue: Bool
    /// Sync stands still until a person resumes it.
    public var isPaused: Bool
    /// What is wrong and what to do; nil where nothing is.
    public var trouble: String?

    public init(
        changes: Int = 0, bytes: Int64 = 0, downloads: Int = 0, isRescanDue: Bool = false,
        isPaused: Bool = false, trouble: String? = nil
    ) {
        self.changes = changes
        self.bytes = bytes
        self.downloads = downloads
        self.isRescanDue = isRescanDue
        self.isPaused = isPaused
        self.trouble = trouble
    }

    /// Whether something is not in the store, or may not be.
    public var isUploadLeft: Bool { changes > 0 || isRescanDue }
}

/// What came of signing in or out.
public struct CloudAccountChange: Codable, Equatable, Sendable {
    /// What the person is told.
    public var lines: [String]
    /// So many items of an account that would be left are here, and nothing was said of them: nothing was
    /// done.
    public var undecided: Int?

    public init(lines: [String] = [], undecided: Int? = nil) {
        self.lines = lines
        self.undecided = undecided
    }
}

/// What `cloud account show` prints.
public struct CloudAccountReport: Codable, Equatable, Sendable {
    public var url: String
    /// The first letters of the key's id; nil where the store wants none.
    public var accessKey: String?
    public var profile: String?
    /// This device's id in the account; nil before its first contact.
    public var device: String?
    /// What lies there, and how a person reads it.
    public var notes: [String]

    public init(
        url: String, accessKey: String? = nil, profile: String? = nil, device: String? = nil,
        notes: [String] = []
    ) {
        self.url = url
        self.accessKey = accessKey
        self.profile = profile
        self.device = device
        self.notes = notes
    }
}

/// What `cloud status` prints.
public struct CloudStatusReport: Codable, Equatable, Sendable {
    public var account: String
    /// "idle", "syncing", "waiting" (for a mount, or a command that syncs), "paused", "signed-out", or what
    /// is wrong: a word of `SyncStatus`.
    public var state: String
    /// What is wrong and what to do; nil where nothing is.
    public var text: String?
    /// Seconds since 1970; nil before the first.
    public var lastContact: Timestamp?
    public var quotaBytes: Int64
    public var usedBytes: Int64?
    /// When some device last collected what the store no longer needed, and what that freed; nil where this
    /// one never heard of it.
    public var collection: CloudCollectionRun?
    /// Why this device's last try to collect did not get to its end; nil where it did.
    public var collectionTrouble: String?
    public var apps: [CloudAppStatus]

    public init(
        account: String, state: String, text: String? = nil, lastContact: Timestamp? = nil, quotaBytes: Int64,
        usedBytes: Int64? = nil, collection: CloudCollectionRun? = nil, collectionTrouble: String? = nil,
        apps: [CloudAppStatus]
    ) {
        self.collection = collection
        self.collectionTrouble = collectionTrouble
        self.account = account
        self.state = state
        self.text = text
        self.lastContact = lastContact
        self.quotaBytes = quotaBytes
        self.usedBytes = usedBytes
        self.apps = apps
    }
}

/// A run of the collector, which went through the whole account.
public struct CloudCollectionRun: Codable, Equatable, Sendable {
    /// Seconds since 1970, by the store's clock.
    public var ended: Timestamp
    public var deleted: Int
    public var freedBytes: Int64

    public init(ended: Timestamp, deleted: Int, freedBytes: Int64) {
        self.ended = ended
        self.deleted = deleted
        self.freedBytes = freedBytes
    }
}

public struct CloudAppStatus: Codable, Equatable, Sendable {
    public var app: String
    public var bundleID: String
    /// False: switched off by `cloud off`.
    public var isOn: Bool
    /// Whether a mount of it keeps it in step.
    public var isWatched: Bool
    public var state: String
    public var text: String?
    public var pendingFiles: Int
    public var pendingBytes: Int64
    /// Keys of its key-value store that were set here and are not in the account.
    public var pendingKeys: Int
    /// Bytes a second that go up now.
    public var uploadRate: Int64
    /// Items whose newest state is not here yet, and bytes a second that come down now.
    public var pendingDownloads: Int
    public var downloadRate: Int64
    public var conflicts: Int
    public var dataless: Int
    /// Deletes that a rescan inferred and that wait for `cloud sync --confirm-deletes`.
    public var heldDeletes: Int
    public var documents: Int
    public var documentBytes: Int64
    /// What changed while nobody looked is still to be found.
    public var isRescanDue: Bool
    /// Where one app was asked for: the first hundred of what is to go to the store, each with what it waits
    /// for, and of what never goes there.
    public var waiting: [CloudItemReason]
    public var excluded: [CloudItemReason]

    public init(
        app: String, bundleID: String, isOn: Bool, isWatched: Bool, state: String, text: String? = nil,
        pendingFiles: Int, pendingBytes: Int64, pendingKeys: Int = 0, uploadRate: Int64,
        pendingDownloads: Int = 0, downloadRate: Int64 = 0, conflicts: Int, dataless: Int, heldDeletes: Int,
        documents: Int,
        documentBytes: Int64, isRescanDue: Bool = false, waiting: [CloudItemReason] = [],
        excluded: [CloudItemReason] = []
    ) {
        self.waiting = waiting
        self.excluded = excluded
        self.app = app
        self.bundleID = bundleID
        self.isOn = isOn
        self.isWatched = isWatched
        self.state = state
        self.text = text
        self.pendingFiles = pendingFiles
        self.pendingBytes = pendingBytes
        self.pendingKeys = pendingKeys
        self.uploadRate = uploadRate
        self.pendingDownloads = pendingDownloads
        self.downloadRate = downloadRate
        self.conflicts = conflicts
        self.dataless = dataless
        self.heldDeletes = heldDeletes
        self.documents = documents
        self.documentBytes = documentBytes
        self.isRescanDue = isRescanDue
    }
}

/// Why an item is not in the store.
public struct CloudItemReason: Codable, Equatable, Sendable {
    /// Below Documents.
    public var path: String
    /// One word, for programs.
    public var reason: String
    /// The same for a person.
    public var text: String

    public init(path: String, reason: String, text: String) {
        self.path = path
        self.reason = reason
        self.text = text
    }
}

public struct CloudDevice: Codable, Equatable, Sendable {
    public var id: String
    public var name: String
    /// Seconds since 1970.
    public var lastSeen: Timestamp?
    public var isThis: Bool

    public init(id: String, name: String, lastSeen: Timestamp? = nil, isThis: Bool) {
        self.id = id
        self.name = name
        self.lastSeen = lastSeen
        self.isThis = isThis
    }
}

public struct CloudItem: Codable, Equatable, Sendable {
    public var path: String
    /// "file", "directory" or "symlink".
    public var kind: String
    public var size: Int64
    /// Nil for a directory: the log has no time of one.
    public var modified: Timestamp?
    /// As `com.apple.ubiquity.status` has it.
    public var status: String

    public init(path: String, kind: String, size: Int64, modified: Timestamp?, status: String) {
        self.path = path
        self.kind = kind
        self.size = size
        self.modified = modified
        self.status = status
    }
}

public struct CloudLogEntry: Codable, Equatable, Sendable {
    public var sequence: UInt64
    /// Seconds since 1970, by the store's clock.
    public var time: Timestamp
    public var device: String
    public var operation: String
    public var path: String
    /// The item's id, as `cloud restore` takes it.
    public var item: String?
    /// Of what brought a content, as `cloud restore --version` takes it.
    public var version: String?

    public init(
        sequence: UInt64, time: Timestamp, device: String, operation: String, path: String, item: String?,
        version: String?
    ) {
        self.sequence = sequence
        self.time = time
        self.device = device
        self.operation = operation
        self.path = path
        self.item = item
        self.version = version
    }
}

public struct CloudConflict: Codable, Equatable, Sendable {
    public var path: String
    public var versions: [CloudVersion]

    public init(path: String, versions: [CloudVersion]) {
        self.path = path
        self.versions = versions
    }
}

public struct CloudVersion: Codable, Equatable, Sendable {
    /// As `cloud cat --version` takes it.
    public var id: String
    public var isCurrent: Bool
    public var size: Int64
    /// SHA-256 of a file's bytes, in hex.
    public var hash: String?
    /// When the content was changed, as its device said.
    public var modified: Timestamp
    /// When the log got it; nil where that is not known any more, or the store does not say so soon.
    public var committed: Timestamp?
    public var device: String

    public init(
        id: String, isCurrent: Bool, size: Int64, hash: String?, modified: Timestamp, committed: Timestamp?,
        device: String
    ) {
        self.id = id
        self.isCurrent = isCurrent
        self.size = size
        self.hash = hash
        self.modified = modified
        self.committed = committed
        self.device = device
    }
}

public struct CloudCheckReport: Codable, Equatable, Sendable {
    public var references: Int
    public var sampled: Int
    public var missing: [String]
    public var damaged: [String]
    public var repaired: Int

    public init(references: Int, sampled: Int, missing: [String], damaged: [String], repaired: Int) {
        self.references = references
        self.sampled = sampled
        self.missing = missing
        self.damaged = damaged
        self.repaired = repaired
    }
}

public struct CloudCollection: Codable, Equatable, Sendable {
    public var objects: Int
    /// Of a dry run: that would be.
    public var deleted: Int
    public var freedBytes: Int64
    /// Of a dry run: the first thousand of them, by their keys.
    public var names: [NamedSize]

    public init(objects: Int, deleted: Int, freedBytes: Int64, names: [NamedSize] = []) {
        self.objects = objects
        self.deleted = deleted
        self.freedBytes = freedBytes
        self.names = names
    }

    public func adding(_ other: CloudCollection) -> CloudCollection {
        CloudCollection(
            objects: objects + other.objects, deleted: deleted + other.deleted,
            freedBytes: freedBytes.addingSaturated(other.freedBytes), names: names + other.names)
    }
}

public struct CloudQuota: Codable, Equatable, Sendable {
    public var quotaBytes: Int64
    public var usedBytes: Int64
    public var apps: [CloudAppUse]
    /// What snapshots of backups keep that no document does.
    public var backupBytes: Int64

    public init(quotaBytes: Int64, usedBytes: Int64, apps: [CloudAppUse], backupBytes: Int64) {
        self.quotaBytes = quotaBytes
        self.usedBytes = usedBytes
        self.apps = apps
        self.backupBytes = backupBytes
    }
}

public struct CloudAppUse: Codable, Equatable, Sendable {
    public var app: String
    public var bytes: Int64

    public init(app: String, bytes: Int64) {
        self.app = app
        self.bytes = bytes
    }
}
