/// A program that runs as an app.
public struct RunningProgram: Codable, Equatable, Sendable {
    /// The number of `apphome run` itself, as its caller sees it.
    public var pid: Int32
    /// The program's name.
    public var command: String

    public init(pid: Int32, command: String) {
        self.pid = pid
        self.command = command
    }
}

/// What a client says when it is about to run a program as an app.
public struct RunArguments: Codable, Equatable, Sendable {
    public var app: String
    public var program: RunningProgram

    public init(app: String, program: RunningProgram) {
        self.app = app
        self.program = program
    }
}

/// What a client needs to show a program its app.
public struct RunGrant: Codable, Equatable, Sendable {
    public var bundleID: String
    public var name: String
    /// `Name.app`.
    public var bundleName: String
    /// The containers' UUIDs, as their directories are named.
    public var dataContainer: String
    public var bundleContainer: String
    /// In the bundle; nil where Info.plist names none.
    public var executable: String?
    public var groups: [RunGroup]
    /// A folder for this app's mounts, made; absolute.
    public var folder: String
    /// The number of the last event before the program.
    public var lastEvent: UInt64
    /// Where the app's programs reach the daemon, as the app; absolute.
    public var socket: String { folder + "/" + RunFolder.appSocketName }

    public init(
        bundleID: String, name: String, bundleName: String, dataContainer: String, bundleContainer: String,
        executable: String?, groups: [RunGroup], folder: String, lastEvent: UInt64
    ) {
        self.bundleID = bundleID
        self.name = name
        self.bundleName = bundleName
        self.dataContainer = dataContainer
        self.bundleContainer = bundleContainer
        self.executable = executable
        self.groups = groups
        self.folder = folder
        self.lastEvent = lastEvent
    }
}

/// A group of the app, with the UUID of its container.
public struct RunGroup: Codable, Equatable, Sendable {
    public var name: String
    public var container: String

    public init(name: String, container: String) {
        self.name = name
        self.container = container
    }
}

/// What a purge did to one app; of a dry run: would do.
public struct PurgeReport: Codable, Equatable, Sendable {
    public var bundleID: String
    public var name: String
    public var freedBytes: Int64
    /// Why nothing, or not all, was taken: `running` or an error; nil: all was.
    public var kept: String?
    public static let running = "running"
    /// Items that could not be removed.
    public var leftItems: Int
    /// What is kept to take its last restore or reset back, which no purge takes.
    public var undoBytes: Int64

    public init(
        bundleID: String, name: String, freedBytes: Int64, kept: String? = nil, leftItems: Int = 0,
        undoBytes: Int64 = 0
    ) {
        self.undoBytes = undoBytes
        self.bundleID = bundleID
        self.name = name
        self.freedBytes = freedBytes
        self.kept = kept
        self.leftItems = leftItems
    }
}

/// What a client asks to be purged.
public struct PurgeArguments: Codable, Equatable, Sendable {
    /// nil: every app.
    public var app: String?
    /// Stop when so much is free; nil: take all.
    public var bytesToFree: Int64?
    /// Whether only to say what would be freed.
    public var isDryRun: Bool

    public init(app: String? = nil, bytesToFree: Int64? = nil, isDryRun: Bool = false) {
        self.app = app
        self.bytesToFree = bytesToFree
        self.isDryRun = isDryRun
    }
}

/// What a program left where it may write and its home is not.
public struct LeftOutside: Codable, Equatable, Sendable {
    /// So many are named.
    public static let most = 100

    public struct Item: Codable, Equatable, Sendable {
        public enum Kind: Codable, Equatable, Sendable {
            case file(sizeBytes: UInt64)
            /// `items`: how many lie in it, at all depths; `isMore`: there are more, which were not counted.
            case directory(items: Int, isMore: Bool)
            /// A link, a socket, a pipe.
            case other
            /// The item is a folder that was empty, and so many more lie in it than are named.
            case rest(items: Int)
        }

        /// Absolute, as the program saw it.
        public var path: String
        public var kind: Kind

        public init(path: String, kind: Kind) {
            self.path = path
            self.kind = kind
        }
    }

    public var items: [Item]

    public init(_ items: [Item] = []) { self.items = items }
}
