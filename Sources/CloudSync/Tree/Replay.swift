internal import CloudStore

/// One commit being applied.
struct Replay {
    let storage: any TreeStorage
    let rules: SafetyRules
    /// The commit's time, and at least its predecessor's.
    let now: StoreTime
    /// The operation being applied.
    var position: LogPosition
    var revision = Revision(device: DeviceID(bits: 0), n: 0, index: 0)
    var change = TreeChange()
    /// Children of merged directories that are to be placed in the directory beside them.
    var displaced: [(child: FileID, parent: FileID)] = []

    init(storage: any TreeStorage, rules: SafetyRules, now: StoreTime, sequence: UInt64) {
        self.storage = storage
        self.rules = rules
        self.now = now
        position = LogPosition(sequence: sequence, index: 0)
    }

    mutating func apply(_ operation: Operation, revision: Revision) throws {
        self.revision = revision
        position.index = revision.index
        switch operation {
        case .create(let creation): try create(creation)
        case .edit(let edit): try apply(edit)
        case .move(let file, let parent, let name): try move(file, to: parent, name)
        case .setAttributes(let file, let attributes): try setAttributes(of: file, attributes)
        case .delete(let deletion): try delete(deletion)
        case .withdraw(let file, let contents): try withdraw(file, naming: contents)
        case .resolve(let resolution): try resolve(resolution)
        case .relocate(let relocations): try relocate(relocations)
        case .require(let feature):
            if !LogFeature.known.contains(feature) { try meet("feature \(feature)") }
        case .account: return
        case .unknown(let kind): try meet("operation \(kind)")
        }
    }

    /// The four columns of SYNC.md 3's table.
    enum Standing {
        case live(Node)
        case deleted(Node)
        case withdrawn(Node)
        /// No row has that id, or its tombstone has expired. The root is so too; no operation is about it.
        case unknown(FileID)
    }

    func standing(of file: FileID) throws -> Standing {
        let id = try storage.resolve(file)
        guard let node = try storage.node(id) else { return .unknown(id) }
        switch node.state {
        case .live: return .live(node)
        case .deleted: return .deleted(node)
        case .withdrawn: return .withdrawn(node)
        }
    }

    /// Writes a row. What it refers to anew is counted first, then what it no longer refers to is let go: a
    /// chunk that both have stays.
    mutating func save(_ node: Node, over old: Node?) throws {
        try addReferences(of: node, over: old)
        try storage.setNode(node)
        change.nodes.insert(node.id)
        try dropReferences(of: old, for: node)
    }

    /// Notes a word of a later version. A few are enough to say what is missing.
    func meet(_ word: String) throws {
        if try storage.unknownWords().count < 16 { try storage.addUnknownWord(word) }
    }
}

/// What a log may `require` of its clients.
enum LogFeature {
    static let known: Set<String> = []
}
