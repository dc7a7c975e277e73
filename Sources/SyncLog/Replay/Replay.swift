internal import StoreBasics

/// One commit being applied.
package struct Replay {
    let storage: any TreeStorage
    let rules: SafetyRules
    let features: Set<String>
    let zone: LogZone
    /// The commit's time, and at least its predecessor's.
    let now: StoreTime
    /// The operation being applied.
    var position: LogPosition
    var revision = Revision(device: DeviceID(bits: 0), n: 0, index: 0)
    var change = TreeChange()
    /// What creates and edits of this commit have made so far, but for what a later one of them was made on.
    var brought: Set<Revision> = []
    /// Children of merged directories that are to be placed in the directory beside them.
    var childrenToPlace: [(child: FileID, parent: FileID)] = []

    init(_ tree: TreeState, now: StoreTime, sequence: UInt64) {
        storage = tree.storage
        rules = tree.rules
        features = tree.features
        zone = tree.zone
        self.now = now
        position = LogPosition(sequence: sequence, index: 0)
    }

    mutating func apply(_ operation: Operation, revision: Revision) throws {
        self.revision = revision
        position.index = revision.index
        switch zone {
        case .files: try applyToFiles(operation)
        case .keyValues: try applyToKeys(operation)
        }
    }

    private mutating func applyToKeys(_ operation: Operation) throws {
        switch operation {
        case .keyValue(let operation): try set(operation)
        case .require(let feature): try meet(LogFeature.word(feature))
        case .unknown(let kind): try meet(LogFeature.word(ofOperation: kind))
        case .create, .edit, .move, .setAttributes, .delete, .withdraw, .resolve, .relocate, .endHistory,
            .account:
            // Nobody writes them there.
            return
        }
    }

    private mutating func applyToFiles(_ operation: Operation) throws {
        switch operation {
        case .create(let creation): try create(creation)
        case .edit(let edit): try apply(edit)
        case .move(let file, let parent, let name): try move(file, to: parent, name)
        case .setAttributes(let file, let attributes): try setAttributes(of: file, attributes)
        case .delete(let deletion): try delete(deletion)
        case .withdraw(let file, let contents): try withdraw(file, naming: contents)
        case .resolve(let resolution): try resolve(resolution)
        case .relocate(let relocations): try relocate(relocations)
        case .endHistory(let ended): try endHistory(ended)
        case .require(let feature): try meet(LogFeature.word(feature))
        case .account: return
        // As builds take it that know no key-value store: all have to make the same tree.
        case .keyValue: try meet(LogFeature.word(ofOperation: Operation.Kind.keyValue))
        case .unknown(let kind): try meet(LogFeature.word(ofOperation: kind))
        }
    }

    /// What the tree knows of the item that an operation is about; each kind of operation has a rule for each
    /// case.
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

    /// Notes what the log demands, known or not: a snapshot tells it to clients that know less. Of what is
    /// not known a few are enough to say what is missing.
    func meet(_ word: String) throws {
        let isKnown = features.contains { LogFeature.word($0) == word }
        if try isKnown || storage.unknownWords(knowing: features).count < 16 { try storage.addWord(word) }
    }
}

/// What a log may `require` of its clients.
enum LogFeature {
    static let known: Set<String> = [endedHistory]
    /// A person has ended the retention of something.
    static let endedHistory = "ended-history"

    static func word(_ feature: String) -> String { "feature \(feature)" }
    static func word(ofOperation kind: UInt64) -> String { "operation \(kind)" }
}

extension TreeStorage {
    /// Words of the log that this build does not know, ascending: while there are any, it only reads.
    package func unknownWords() throws -> [String] { try unknownWords(knowing: LogFeature.known) }

    func unknownWords(knowing features: Set<String>) throws -> [String] {
        let known = Set(features.map(LogFeature.word))
        return try words().filter { !known.contains($0) }
    }

    /// Whether an earlier build left out, in this tree, what this one understands. (Snapshots are made by
    /// those who understand all, and name no operation that they do.)
    package func lacksKnownOperations() throws -> Bool {
        let known = Set(Operation.kindsOfTree.map(LogFeature.word(ofOperation:)))
        return try words().contains(where: known.contains)
    }

    /// Whether every build makes the same tree of the log. Where it has a word that some do not know, nobody
    /// says what the tree is, and whoever does is not believed: they may have left something out.
    package func isEqualEverywhere() throws -> Bool { try words().isEmpty }

    /// Whether a person has ended the retention of something, so that no byte of it may stay for long.
    package func hasEndedHistory() throws -> Bool {
        try words().contains(LogFeature.word(LogFeature.endedHistory))
    }
}
