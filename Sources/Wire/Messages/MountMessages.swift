public enum MountKind: String, Codable, Sendable {
    case home
    /// The iTunes File Sharing view.
    case share
    /// The bundle by itself, beside a home that does not show it.
    case bundle
    /// A group's container, where its apps find it.
    case group
    /// The same once more: locks are refused there.
    case groupView = "group-view"
    /// What the Files app shows: Documents of every app that offers them.
    case files
    /// The whole device as on iOS.
    case device

    /// Whether the device is shown, and not one app or group.
    public var isOfDevice: Bool { self == .files || self == .device }
    /// Whether a group is shown, and no app.
    public var isOfGroup: Bool { self == .group || self == .groupView }
}

public struct MountArguments: Codable, Equatable, Sendable {
    public var app: String
    public var kind: MountKind
    /// Absolute, without links: for people. What it names is known by the folder that comes with it, and by
    /// its last component.
    public var directory: String
    /// Whether the directory was made for the mount, and is removed with it.
    public var madeDirectory: Bool
    public var names: String?
    /// How skip-backup and other Apple attributes are listed: "apple" or "user".
    public var attributeList: String?
    /// How requests shall travel: "auto", "ring" or "classic".
    public var transport: String?
    /// How file contents shall travel: "auto", "passthrough" or "splice".
    public var data: String?
    public var isReadOnly: Bool
    /// Whether the home shows the bundle beside the data.
    public var showsBundle: Bool
    /// The device's setting from now on.
    public var lowDisk: String?
    /// Whether `run` mounts it for its program, in the device's own folder.
    public var isForRun: Bool
    /// Whether Documents stay on this device while this home is mounted.
    public var noSync: Bool
    /// Whether conflict versions are shown beside their documents.
    public var showsConflicts: Bool
    /// The whole tree of Documents, where the view is the sharing one.
    public var deep: Bool
    /// Whether only the user who mounts reaches it, an ordinary one.
    public var isPrivate: Bool
    /// The store that the view is taken from; nil: this device.
    public var from: CloudAccountArguments?
    /// The group of the app that is shown, where one is.
    public var group: String?

    public init(
        app: String, kind: MountKind, directory: String, madeDirectory: Bool = false, names: String? = nil,
        attributeList: String? = nil, transport: String? = nil, data: String? = nil, isReadOnly: Bool = false,
        showsBundle: Bool = true, lowDisk: String? = nil, isForRun: Bool = false,
        noSync: Bool = false, showsConflicts: Bool = false, deep: Bool = false, isPrivate: Bool = false,
        from: CloudAccountArguments? = nil, group: String? = nil
    ) {
        self.app = app
        self.kind = kind
        self.directory = directory
        self.madeDirectory = madeDirectory
        self.names = names
        self.attributeList = attributeList
        self.transport = transport
        self.data = data
        self.isReadOnly = isReadOnly
        self.showsBundle = showsBundle
        self.lowDisk = lowDisk
        self.isForRun = isForRun
        self.noSync = noSync
        self.showsConflicts = showsConflicts
        self.deep = deep
        self.isPrivate = isPrivate
        self.from = from
        self.group = group
    }
}

/// What a client needs to mount: the daemon has reserved the place.
public struct MountGrant: Codable, Equatable, Sendable {
    /// For the mount table.
    public var source: String
    public var appName: String
    /// What becomes of Documents: where they sync to, or that they stay.
    public var documents: String
    /// Notices of other apps' crashed mounts.
    public var notices: [String]
    /// Whether the kernel is to check mode bits.
    public var kernelChecksAccess: Bool

    public init(
        source: String, appName: String, documents: String, notices: [String], kernelChecksAccess: Bool
    ) {
        self.source = source
        self.appName = appName
        self.documents = documents
        self.notices = notices
        self.kernelChecksAccess = kernelChecksAccess
    }
}

/// A mount, as `list --json` and `info --json` print it.
public struct MountReport: Codable, Equatable, Sendable {
    public var dir: String
    public var pid: Int32
    public var kind: MountKind
    /// How file contents travel: `passthrough` or `splice`.
    public var data: String
    /// Why they do not pass through the kernel; nil where they do.
    public var dataReason: String?
    /// How requests travel: "ring" or "classic".
    public var transport: String
    /// Why requests do not travel better, and what helps; nil where there is nothing to say.
    public var transportReason: String?

    public init(
        dir: String, pid: Int32, kind: MountKind, data: String, dataReason: String? = nil, transport: String,
        transportReason: String? = nil
    ) {
        self.dir = dir
        self.pid = pid
        self.kind = kind
        self.data = data
        self.dataReason = dataReason
        self.transport = transport
        self.transportReason = transportReason
    }
}

/// A mount that a crash of the daemon ended.
public struct CrashReport: Codable, Equatable, Sendable {
    public var app: String
    public var dir: String
    public var kind: MountKind
    /// When it was noticed: ISO 8601, UTC.
    public var time: String
    /// Whether the whole machine was started anew.
    public var isRestart: Bool
    /// The URL of the store that it showed; nil: this device.
    public var from: String?
    /// The group that it showed; nil: the app.
    public var group: String?

    public init(
        app: String, dir: String, kind: MountKind, time: String, isRestart: Bool = false,
        from: String? = nil, group: String? = nil
    ) {
        self.isRestart = isRestart
        self.app = app
        self.dir = dir
        self.kind = kind
        self.time = time
        self.from = from
        self.group = group
    }

    /// What a person reads, with the command that mounts it again.
    public var notice: String {
        let (name, place) = (shellQuoted(app), shellQuoted(dir))
        let origin = from.map { " --from \(shellQuoted($0))" } ?? ""
        let command =
            switch kind {
            case .home: "apphome mount \(name) \(place)"
            case .share: "apphome share mount \(name) \(place)\(origin)"
            case .group: "apphome group path \(name) \(group ?? "")"
            case .groupView: "apphome group mount \(name) \(group ?? "") \(place)"
            case .bundle: "apphome mount \(name) HOME --layout containers --bundle \(place)"
            case .files: "apphome files mount \(place)\(origin)"
            case .device: "apphome device root \(place)"
            }
        return "\(app)'s mount at \(dir) ended \(cause): \(command)"
    }

    /// By what the mount ended, and when.
    public var cause: String {
        isRestart ? "with a restart of the machine, seen at \(time)" : "by a crash at \(time)"
    }
}

/// Where an app's container is seen, or its group's.
public struct ContainerPlace: Codable, Equatable, Sendable {
    /// Absolute; nil where the app would get null.
    public var directory: String?
    public var isMounted: Bool
    /// Why it would.
    public var reason: String?

    public init(directory: String? = nil, isMounted: Bool = false, reason: String? = nil) {
        self.directory = directory
        self.isMounted = isMounted
        self.reason = reason
    }
}
