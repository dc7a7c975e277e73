internal import PropertyLists
internal import SandboxRules

/// What a client asks its daemon to do. The forms of `list`, `info` and `unmount` never change.
enum Request: Codable, Equatable {
    case list
    case info(app: String)
    /// Before the client unmounts (`isDone` false: bring everything to rest) and after it did (true: end the
    /// session; answered when that is over).
    case unmount(source: String, directory: String, isDone: Bool)

    /// Descriptors: the bundle's directory or the archive, then the entitlements, if any.
    case install(InstallArguments)
    /// Descriptors: the property list, then the content directory, as far as there are any.
    case new(NewArguments)
    case uninstall(UninstallArguments)
    /// Descriptor: the folder that holds the directory to mount at (O_PATH is enough).
    case prepareMount(MountArguments)
    /// Descriptor: the opened `/dev/fuse` of the mount that was prepared on this connection.
    case attachMount
    /// Where a group's container is mounted, or is to be.
    case groupPlace(app: String, group: String)
    /// Answered when that mount has ended.
    case awaitEnd(directory: String)
    case settings
    case set(key: String, value: String)
    case sharingApps
    /// `from`: straight from that store, in this and the next.
    case shareList(app: String, from: CloudAccountArguments? = nil)
    /// Descriptor: the directory to copy into.
    case shareGet(app: String, name: String, newName: String, from: CloudAccountArguments? = nil)
    /// Descriptor: the file or directory.
    case sharePut(app: String, name: String, toInbox: Bool)
    case shareRemove(app: String, name: String)
    /// Answered with events, one by one, until the client goes.
    case watch(app: String?, sinceSeconds: Double?)
    case preferences(PreferenceRequest)
    case purge(PurgeArguments)
    /// From here on the app runs, until `endRun` or this connection's end.
    case beginRun(RunArguments)
    case endRun
    case cloud(CloudRequest)
    case backup(BackupRequest)

    /// Whether a daemon of another protocol answers it too.
    var neverChanges: Bool {
        switch self {
        case .list, .info, .unmount: true
        default: false
        }
    }
}

/// What the daemon answers: any number of `progress` and `event`, then one of the others.
enum Answer: Codable, Equatable {
    case failure(CommandFailure)
    case progress(Progress)
    case event(WatchedEvent)
    case done
    case note(lines: [String])
    case apps([AppSummary])
    case info(AppInfo)
    case installed(InstallReport)
    case uninstalled(UninstallReport)
    case mountGranted(MountGrant)
    case mounted(MountReport)
    case groupPlace(GroupPlace)
    /// To `unmount`; `removesDirectory`: the mount point was made for the mount.
    case unmounting(removesDirectory: Bool)
    case settings([Setting])
    case items([SharedItem])
    case preference(PreferenceValue)
    case purged([PurgeReport])
    case run(RunGrant)
    /// To `endRun`; `isLast`: nothing runs as the app any more, and what was mounted for that can go.
    case runEnded(isLast: Bool)
    case cloud(CloudAnswer)
    case backup(BackupAnswer)
}

struct InstallArguments: Codable, Equatable {
    /// The bundle's directory name; nil for an archive.
    var bundleName: String?
    var hasEntitlements = false
    /// Whether an upgrade empties Library/Caches.
    var dropsCaches = false
    /// Whether open mounts go over to the new app; otherwise they are in its way.
    var remounts = false
}

struct NewArguments: Codable, Equatable {
    var name: String
    var identifier: String?
    var share = false
    var files = false
    var groups: [String] = []
    var hasPropertyList = false
    var hasContent = false
}

struct UninstallArguments: Codable, Equatable {
    var app: String
    /// Whether its documents are deleted in the cloud too, and so on every device.
    var deletesCloud = false
    /// False: only say what would be done.
    var isConfirmed = false
}

/// What taking an app off the device does, or did.
struct UninstallReport: Codable, Equatable {
    var bundleID: String
    var name: String
    /// Documents that are on this device alone.
    var unsent = 0
    /// The paths of some of them.
    var unsentNames: [String] = []
    /// The URL of the account's store; nil on a device that is signed out.
    var store: String?
    /// Items that the store has; after a removal with those of the cloud, what is left there.
    var cloudDocuments = 0
    var notes: [String] = []
}

struct Progress: Codable, Equatable {
    var bytesDone: Int64
    var totalBytes: Int64?
}

struct Setting: Codable, Equatable {
    var key: String
    var value: String
}

/// An item of a sharing view.
struct SharedItem: Codable, Equatable {
    var name: String
    var kind: String
    var size: Int64
    /// Seconds since 1970.
    var modified: Double
}

/// One event of the device's ring, as `watch` prints it.
struct WatchedEvent: Codable, Equatable {
    var sequence: UInt64
    /// Seconds since 1970.
    var time: Double
    var app: String
    var event: String
    var path: String?
    var detail: String?
}
