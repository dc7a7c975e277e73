/// What a client asks its daemon to do. The forms of `list`, `info` and `unmount` never change.
public enum Request: Codable, Equatable, Sendable {
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
    /// Where a home or bundle is seen, or would be mounted; what is there stays until a person unmounts it.
    case seenAt(app: String, kind: MountKind)
    case groupPlace(app: String, group: String, isForRun: Bool)
    /// Answered when that mount has ended.
    case awaitEnd(directory: String)
    case settings
    case set(key: String, value: String)
    case sharingApps
    /// `from`: straight from that store, in this and the next.
    case shareList(app: String, from: CloudAccountArguments? = nil)
    /// Descriptor: the directory to copy into.
    case shareGet(
        app: String, name: String, newName: String, replaces: Bool, from: CloudAccountArguments? = nil)
    /// Descriptor: a pipe, which gets the file's bytes.
    case shareRead(app: String, name: String, from: CloudAccountArguments? = nil)
    /// Descriptor: the file or directory.
    case sharePut(app: String, name: String, toInbox: Bool, replaces: Bool)
    case shareRemove(app: String, name: String)
    /// Descriptor: the file or directory.
    case copyIn(CopyInArguments)
    /// Descriptor: the directory to copy into.
    case copyOut(app: String, path: String, newName: String, takesFolders: Bool, replacesFolders: Bool)
    /// Answered with `watching`, then with events, one by one, until the client goes. It says nothing more on
    /// this connection.
    case watch(app: String?, sinceSeconds: Double?)
    /// What has happened to an app after the event of that number.
    case events(app: String, after: UInt64)
    /// What is remembered of an app and its groups; nil: of all. `after`: where the answer before ended.
    case findings(app: String?, after: Int64?)
    case clearFindings(app: String?)
    /// What the program of this connection left outside of its home.
    case leftOutside(LeftOutside)
    case preferences(PreferenceRequest)
    case keyValues(KeyValueRequest)
    /// What `doctor` cannot see through a mount.
    case doctorFacts(app: String)
    case purge(PurgeArguments)
    /// From here on the app runs, until `endRun` or this connection's end.
    case beginRun(RunArguments)
    case endRun
    case cloud(CloudRequest)
    case backup(BackupRequest)

    /// Whether a daemon of another protocol answers it too.
    public var neverChanges: Bool {
        switch self {
        case .list, .info, .unmount: true
        default: false
        }
    }
}
