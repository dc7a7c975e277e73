package import StoreBasics

/// Where the tree that the log makes is kept: rows, without rules. `TreeState` has the rules and alone
/// changes rows; everybody may read, also with what `TreeStorage+Reading` makes of these calls.
///
/// Documents itself (`FileID.root`) has no row. Reads see the transaction's own writes. Calls throw what the
/// database throws.
package protocol TreeStorage: CollectionNotes, FetchedPages {
    // MARK: Nodes
    /// The row of exactly this id, in any state; nil for an alias (ask `resolve` first) and for the root.
    func node(_ id: FileID) throws -> Node?
    /// Writes a row, new or old; the indexes and counts follow.
    func setNode(_ node: Node) throws
    func removeNode(_ id: FileID) throws
    /// What an item was merged into; nil where it was not.
    func alias(_ id: FileID) throws -> FileID?
    func setAlias(_ id: FileID, to target: FileID?) throws

    // MARK: Directories
    /// The live item of that name.
    func child(of parent: FileID, named name: NormalizedName) throws -> FileID?
    /// Live items in ascending order of their normalised names, strictly after one.
    func children(of parent: FileID, after name: NormalizedName?, limit: Int) throws -> [Node]
    /// Deleted and withdrawn items whose last place this was, by ascending id.
    func formerChildren(of parent: FileID, after id: FileID?, limit: Int) throws -> [Node]
    func hasChildren(_ parent: FileID) throws -> Bool
    func hasFormerChildren(_ parent: FileID) throws -> Bool

    // MARK: History
    func retained(_ key: RetainedContent.Key) throws -> RetainedContent?
    /// What an item had, the oldest in log order first.
    func history(of file: FileID) throws -> [RetainedContent]
    func setRetained(_ content: RetainedContent) throws
    func removeRetained(_ key: RetainedContent.Key) throws

    // MARK: Chunks
    func chunk(_ hash: ContentHash) throws -> ChunkRecord?
    func setChunk(_ chunk: ChunkRecord) throws
    func removeChunk(_ hash: ContentHash) throws

    // MARK: What expires
    /// The earliest entry of that kind of clock that began before a time; nil where none did.
    func firstExpiry(_ kind: ExpiryKind, before time: StoreTime) throws -> Expiry?
    /// A clock that begins to run. The same entry twice is one.
    func addExpiry(_ expiry: Expiry) throws
    func removeExpiry(_ expiry: Expiry) throws

    // MARK: Keys and values
    func keyValue(_ key: KeyName) throws -> KeyValueRecord?
    func setKeyValue(_ record: KeyValueRecord) throws
    func removeKeyValue(_ key: KeyName) throws
    /// Removed ones too, in ascending order of their keys' bytes.
    func keyValues(after key: KeyName?, limit: Int) throws -> [KeyValueRecord]
    /// The first to be removed of those that were before a moment.
    func firstRemovedKey(before stamp: KeyValueStamp) throws -> KeyName?

    // MARK: The log
    func treeHead() throws -> TreeHead
    func setTreeHead(_ head: TreeHead) throws
    /// Nil where the tree is as the log was at its head.
    func commitProgress() throws -> CommitProgress?
    func setCommitProgress(_ progress: CommitProgress?) throws
    func deviceMark(_ device: DeviceID) throws -> DeviceMark?
    func setDeviceMark(_ mark: DeviceMark) throws
    /// What the log demands of its clients, and what of it this build cannot read, ascending.
    func words() throws -> [String]
    func addWord(_ word: String) throws

    // MARK: As a whole
    func treeCounts() throws -> TreeCounts
    /// Live items with conflict versions, by ascending id.
    func conflicts(after id: FileID?, limit: Int) throws -> [Node]
    /// Those in a directory, by ascending id.
    func conflicts(in parent: FileID) throws -> [Node]
    /// All rows by ascending id.
    func nodes(after id: FileID?, limit: Int) throws -> [Node]
    func retainedContents(after key: RetainedContent.Key?, limit: Int) throws -> [RetainedContent]
    /// All that the tree refers to, the collector's roots.
    func chunks(after hash: ContentHash?, limit: Int) throws -> [ChunkRecord]
    /// By ascending device.
    func deviceMarks() throws -> [DeviceMark]
    /// The sum, modulo 2^256, of the hashes of all `SnapshotRecord`s, in any order.
    func recordSum() throws -> HashSum
    /// Forgets the whole tree, for a snapshot to be loaded.
    func clearTree() throws
}

package enum ExpiryKind: UInt8, Hashable, Sendable {
    /// A tombstone that nothing holds.
    case tombstone
    /// A content that was replaced, resolved away or deleted.
    case history
    /// A withdrawn content that was named.
    case withdrawn
}

/// A clock that runs since a commit's time.
package struct Expiry: Hashable, Sendable {
    package var kind: ExpiryKind
    package var since: StoreTime
    package var file: FileID
    /// The content; zero for a tombstone.
    package var position = LogPosition(sequence: 0, index: 0)

    package init(
        kind: ExpiryKind, since: StoreTime, file: FileID,
        position: LogPosition = LogPosition(sequence: 0, index: 0)
    ) {
        self.kind = kind
        self.since = since
        self.file = file
        self.position = position
    }
}

/// A tree that is kept: each transaction is all or nothing, and durable when it returns where the storage is.
package protocol TreeDatabase: AnyObject, Sendable {
    func readTree<Result>(_ body: (any TreeStorage) throws -> Result) throws -> Result
    func writeTree<Result>(_ body: (any TreeStorage) throws -> Result) throws -> Result
    /// The tree as it is now, for as long as it is held: what is written meanwhile does not show.
    func frozen() throws -> any TreeDatabase
}
