package import StoreBasics

/// An item of the tree that the log makes: a row, whatever its state.
package struct Node: Equatable, Sendable {
    package let id: FileID
    package var state: NodeState
    /// Where it is; of a deleted or withdrawn item, where it was last. Never an alias.
    package var parent: FileID
    /// What its creator or mover asked for.
    package var wantedName: String
    /// What it is called: the wanted name, with a number where another item had that first.
    package var name: String
    /// The operation that gave it this place: what a delete has to name.
    package var place: Revision
    /// A directory's attributes; nil for everything else, whose attributes are its content's.
    package var directory: Attributes?
    /// Nil for directories, for deleted items, and for withdrawn items whose retention has ended.
    package var current: Version?
    /// Conflict versions, the oldest in log order first. None has the hash of another or of `current`.
    package var versions: [Version]
    /// Items that were merged into this one, ascending: operations on them are operations on it, for ever.
    package var aliases: [FileID]

    package init(
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

    package var isLive: Bool { state == .live }
    package var isDeleted: Bool { if case .deleted = state { true } else { false } }
    package var isDirectory: Bool { directory != nil }
    /// What travels beside its name; plain permissions where nothing is known of it any more.
    package var attributes: Attributes {
        directory ?? current?.attributes ?? Attributes(mode: 0, modified: 0)
    }
    /// The current content and the conflict versions.
    package var contents: [Version] { current.map { [$0] + versions } ?? versions }
    /// Of all conflict versions, ascending.
    package var versionRevisions: [Revision] { versions.flatMap(\.revisions).sorted() }
}

package enum NodeState: Hashable, Sendable {
    case live
    /// A tombstone, since that commit's time; it expires.
    case deleted(StoreTime)
    /// Taken out of the cloud, for ever.
    case withdrawn
}

/// A content of an item: a set of revisions with one hash.
package struct Version: Equatable, Sendable {
    package var content: Content
    package var attributes: Attributes
    /// Who made it, ascending, never empty: equal contents of one item join their sets.
    package var revisions: [Revision]
    /// The operation that made it: its age in log order, and its identity, for one operation makes one.
    package var position: LogPosition
    /// When a withdraw first named it: its bytes are kept for a while from then on. Nil: for ever.
    package var withdrawn: StoreTime?

    package init(content: Content, attributes: Attributes, revision: Revision, position: LogPosition) {
        self.content = content
        self.attributes = attributes
        revisions = [revision]
        self.position = position
    }
}

/// An operation's place in the log.
package struct LogPosition: Hashable, Comparable, Sendable {
    package var sequence: UInt64
    package var index: UInt32

    package init(sequence: UInt64, index: UInt32) {
        self.sequence = sequence
        self.index = index
    }

    package static func < (left: LogPosition, right: LogPosition) -> Bool {
        (left.sequence, left.index) < (right.sequence, right.index)
    }
}
