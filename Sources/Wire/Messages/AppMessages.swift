/// An app as `list` prints it.
public struct AppSummary: Codable, Equatable, Sendable {
    public var bundleID: String
    public var name: String
    public var version: String?
    public var sharing: Sharing
    public var isPlaceholder: Bool
    public var mounts: [MountReport]
    /// Mounts that ended because the daemon did.
    public var crashed: [CrashReport]

    public init(
        bundleID: String, name: String, version: String? = nil, sharing: Sharing, isPlaceholder: Bool,
        mounts: [MountReport], crashed: [CrashReport]
    ) {
        self.bundleID = bundleID
        self.name = name
        self.version = version
        self.sharing = sharing
        self.isPlaceholder = isPlaceholder
        self.mounts = mounts
        self.crashed = crashed
    }
}

/// What an app's Info.plist offers to the outside.
public struct Sharing: Codable, Equatable, Sendable {
    public var itunes: Bool
    public var files: Bool

    public init(itunes: Bool, files: Bool) {
        self.itunes = itunes
        self.files = files
    }
}

/// What `info` prints. The keys of its JSON are part of the contract.
public struct AppInfo: Codable, Equatable, Sendable {
    public var bundleID: String
    public var name: String
    public var version: String?
    /// Absolute; nil for a placeholder.
    public var bundle: String?
    /// The data container, absolute.
    public var home: String
    public var groups: [String]
    public var sharing: Sharing
    /// Bytes of each area.
    public var sizes: [String: Int64]
    public var running: Bool
    /// What runs as the app by `apphome run`.
    public var programs: [RunningProgram]?
    public var mounts: [MountReport]
    public var entitlements: String
    /// What is kept to take its last restore or reset back; nil where nothing is.
    public var undo: UndoCopy?

    public init(
        bundleID: String, name: String, version: String? = nil, bundle: String? = nil, home: String,
        groups: [String], sharing: Sharing, sizes: [String: Int64], running: Bool,
        programs: [RunningProgram]? = nil, mounts: [MountReport], entitlements: String,
        undo: UndoCopy? = nil
    ) {
        self.undo = undo
        self.bundleID = bundleID
        self.name = name
        self.version = version
        self.bundle = bundle
        self.home = home
        self.groups = groups
        self.sharing = sharing
        self.sizes = sizes
        self.running = running
        self.programs = programs
        self.mounts = mounts
        self.entitlements = entitlements
    }
}
