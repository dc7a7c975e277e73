public import CloudStore

/// An item of the tree that the log makes: a row, whatever its state.
public struct Node: Equatable, Sendable {
    public let id: FileID
    public var state: NodeState
    /// Where it is; of a deleted or withdrawn item, where it was last. Never an alias.
    public var parent: FileID
    /// What its creator or mover asked for.
    public var wantedName: String
    /// What it is called: the wanted name, with a number where another item had that first.
    public var name: String
    /// The operation that gave it this place: what a delete has to name.
    public var place: Revision
    /// A directory's attributes; nil for everything else, whose attributes are its content's.
    public var directory: Attributes?
    /// Nil for directories, for deleted items, and for withdrawn items whose retention has ended.
    public var current: Version?
    /// Conflict versions, the oldest in log order first. None has the hash of another or of `current`.
    public var versions: [Version]
    /// Items that were merged into this one, ascending: operations on them are operations on it, for ever.
    public var aliases: [FileID]

    public init(
        id: FileID, state: NodeState, parent: FileID, name: String, place: Revision,
        directory: Attributes? = nil, current: Version? = nil
    ) {
        self.id = id
        self.state = state
        self.parent = parent
        wantedName = name
        self.name = name
        self.place = place
        self.directory = directory
        self.current = current
        versions = []
        aliases = []
    }

    public var isLive: Bool { state == .live }
    public var isDirectory: Bool { directory != nil }
    /// What travels beside its name; plain permissions where nothing is known of it any more.
    public var attributes: Attributes { directory ?? current?.attributes ?? Attributes(mode: 0, modified: 0) }
    /// The current content and the conflict versions.
    public var contents: [Version] { current.map { [$0] + versions } ?? versions }
    /// Of all conflict versions, ascending.
    var versionRevisions: [Revision] { versions.flatMap(\.revisions).sorted() }
}

public enum NodeState: Hashable, Sendable {
    case live
    /// A tombstone, since that commit's time; it expires.
    case deleted(StoreTime)
    /// Taken out of the cloud, for ever.
    case withdrawn
}

/// A content of an item: a set of revisions with one hash.
public struct Version: Equatable, Sendable {
    public var content: Content
    public var attributes: Attributes
    /// Who made it, ascending, never empty: equal contents of one item join their sets.
    public var revisions: [Revision]
    /// The operation that made it: its age in log order, and its identity, for one operation makes one.
    public var position: LogPosition
    /// When a withdraw first named it: its bytes are kept for a while from then on. Nil: for ever.
    public var withdrawn: StoreTime?

    public init(content: Content, attributes: Attributes, revision: Revision, position: LogPosition) {
        self.content = content
        self.attributes = attributes
        revisions = [revision]
        self.position = position
    }
}

/// An operation's place in the log.
public struct LogPosition: Hashable, Comparable, Sendable {
    public var sequence: UInt64
    public var index: UInt32

    public static func < (left: LogPosition, right: LogPosition) -> Bool {
        (left.sequence, left.index) < (right.sequence, right.index)
    }
}
