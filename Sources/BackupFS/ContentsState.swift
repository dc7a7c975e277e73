internal import Backup
internal import Posix
internal import SystemPackage

/// A file that the backup's folder does not have as it is shown.
enum MadeFile: Sendable {
    /// Manifest.db, decrypted, without what was added to encrypt it.
    case list(BlobBytes, sizeBytes: Int64)
    case bytes([UInt8])
    /// What of the backup was not believed so far.
    case refused
}

/// What is known of a backup's contents so far.
struct ContentsState {
    typealias Number = BackupTree.Number

    private(set) var tree: BackupTree
    let reader: BackupReader
    /// What a directory is like that the backup does not have.
    private let missing: ItemFacts
    /// Which rows have their place at a directory, in the order in which their records count.
    private var parts: [Number: [RowSelection]] = [:]
    /// Directories whose rows were not read yet.
    private var unread: Set<Number> = []
    /// Directories that were made for domains: what the backup says of them was not looked for yet.
    private var unknown: Set<Number> = []
    private(set) var made: [Number: MadeFile] = [:]
    private(set) var refused = RefusedItems()
    /// The file that says so, once it is made.
    private(set) var refusedList: Number?
    private var unlisted: [Unlisted: Number] = [:]

    init(_ reader: BackupReader, missing: ItemFacts) {
        self.reader = reader
        self.missing = missing
        tree = BackupTree(root: missing)
    }

    var isComplete: Bool { unread.isEmpty }

    // MARK: Places

    /// Gives rows their place: what they are called begins at that directory.
    mutating func place(_ part: RowSelection, at names: [String]) {
        guard let number = directory(names) else { return }
        parts[number, default: []].append(part)
        unread.insert(number)
    }

    private mutating func directory(_ names: [String]) -> Number? {
        names.reduce(BackupTree.root) { parent, name in parent.flatMap { directory(name, in: $0) } }
    }

    private mutating func directory(_ name: String, in parent: Number) -> Number? {
        if let there = child(name, of: parent) { return there }
        let made = insert(name, in: parent, missing)
        if let made { unknown.insert(made) }
        return made
    }

    private func child(_ name: String, of parent: Number) -> Number? {
        Array(name.utf8).withUnsafeBytes { tree.child($0, of: parent) }
    }

    private mutating func insert(_ name: String, in parent: Number, _ facts: ItemFacts) -> Number? {
        Array(name.utf8).withUnsafeBytes { tree.insert($0, in: parent, facts) }
    }

    @discardableResult
    mutating func make(
        _ file: MadeFile, named name: String, in parent: Number = BackupTree.root
    ) -> Number? {
        var facts = missing
        facts.makeFile()
        switch file {
        case .list(_, let sizeBytes): facts.sizeBytes = sizeBytes
        case .bytes(let bytes): facts.sizeBytes = Int64(bytes.count)
        case .refused: break
        }
        let number = insert(name, in: parent, facts)
        if let number { made[number] = file }
        return number
    }

    /// Makes the file that says what is not shown as it stands: from the start, for kernels keep listings.
    mutating func makeRefusedList() {
        guard let folder = directory([DomainPlace.refused]) else { return }
        refusedList = make(.refused, named: "items.txt", in: folder)
    }

    mutating func refuse(_ name: String, _ reason: String) {
        refused.add(RefusedRow(name, reason))
    }

    /// The empty log of a database, or the index of it: no listing has it.
    /// - Parameter name: `NAME-wal` or `NAME-shm`.
    mutating func emptyLog(_ name: UnsafeRawBufferPointer, in parent: Number) -> Number? {
        let key = Unlisted(parent: parent, name: Array(name))
        if let there = unlisted[key] { return there }
        var facts = missing
        facts.makeFile()
        guard let number = tree.makeUnlisted(name, in: parent, facts) else { return nil }
        unlisted[key] = number
        made[number] = .bytes([])
        return number
    }

    private struct Unlisted: Hashable {
        let parent: Number
        let name: [UInt8]
    }

    // MARK: Reading

    /// An item and what leads to it, the root last.
    private func chain(_ number: Number) -> [Number] {
        var chain = [number]
        while let last = chain.last, last != BackupTree.root { chain.append(tree.parent(of: last)) }
        return chain
    }

    /// Whether rows of it, or of what it holds, may not be read yet.
    func isUnread(_ number: Number) -> Bool {
        tree.isKnown(number) && chain(number).contains { unread.contains($0) }
    }

    /// Reads the rows that may be of items in a directory: those that have their place there or above.
    mutating func read(_ directory: Number) {
        guard !unread.isEmpty else { return }
        guard reader.indices.ofDomains || !arrangesDomains else { return readEverything() }
        for place in chain(directory).reversed() where unread.remove(place) != nil {
            for part in parts[place] ?? [] { readAll(part, at: place) }
        }
    }

    private var arrangesDomains: Bool {
        parts.values.contains { $0.contains { if case .domain = $0 { true } else { false } } }
    }

    /// Once through the list, whose rows are in no order: a look for each domain would be one at all of it.
    private mutating func readEverything() {
        unread = []
        var places: [String: Number] = [:]
        for (place, selections) in parts {
            for case .domain(let domain) in selections { places[domain] = place }
        }
        var batches: [String: ItemBatch] = [:]
        var waiting = 0
        var bad = RefusedItems()
        do throws(BackupError) {
            try reader.forEachItem(of: .all) {
                bad.add($0)
            } _: { item in
                batches[item.domain, default: ItemBatch()].add(item.path, ItemFacts(item))
                waiting += 1
                guard waiting >= ItemBatch.limit else { return }
                add(batches, places)
                (batches, waiting) = ([:], 0)
            }
        } catch {
            refuse("the list", "is not shown from here on: \(error.message)")
        }
        add(batches, places)
        refused.add(bad)
    }

    private mutating func add(_ batches: [String: ItemBatch], _ places: [String: Number]) {
        // Home's before others, as where each is read by itself.
        let first = { (domain: String) in DomainPlace.comesFirst(domain) ? "" : domain }
        for (domain, batch) in batches.sorted(by: { first($0.key) < first($1.key) }) {
            if let place = places[domain] { add(batch, .domain(domain), place) }
        }
    }

    private mutating func readAll(_ part: RowSelection, at place: Number) {
        var batch = ItemBatch()
        var bad = RefusedItems()
        do throws(BackupError) {
            try reader.forEachItem(of: part) {
                bad.add($0)
            } _: { item in
                if let name = part.name(of: item) { batch.add(name, ItemFacts(item)) }
                guard batch.isFull else { return }
                add(batch, part, place)
                batch = ItemBatch()
            }
        } catch {
            refuse(part.name, "is not shown from here on: \(error.message)")
        }
        add(batch, part, place)
        refused.add(bad)
    }

    private mutating func add(_ batch: ItemBatch, _ part: RowSelection, _ place: Number) {
        var lost = 0
        tree.add(batch, of: DomainPlace.escaped(part.name), at: place, missing: missing) { _ in lost += 1 }
        if lost > 0 { refuse(part.name, "has \(lost) items too many") }
    }

    /// What stat(2) says of an item. Of a directory that was made for a domain the backup may know more: that
    /// takes a look into its list, for each domain that has its place there or above.
    mutating func facts(_ number: Number) -> ItemFacts {
        if number == refusedList { tree[number].sizeBytes = Int64(refused.text.utf8.count) }
        guard unknown.remove(number) != nil, reader.indices.ofIdentifiers else { return tree[number] }
        for (place, path) in paths(of: number) {
            for case .domain(let domain) in parts[place] ?? [] {
                let identifier = FileIdentifier(domain: domain, path: path)
                guard let item = (try? reader.item(identifier)) ?? nil, item.kind == .directory else {
                    continue
                }
                tree[number] = ItemFacts(item)
                return tree[number]
            }
        }
        return tree[number]
    }

    /// The directories above an item, and itself, with its path from there; the root first.
    private func paths(of number: Number) -> [(place: Number, path: String)] {
        var names: [String] = []
        var paths: [(Number, String)] = []
        for place in chain(number) {
            paths.append((place, names.reversed().joined(separator: "/")))
            names.append(tree.name(of: place))
        }
        return paths.reversed()
    }
}

extension RowSelection {
    fileprivate var name: String {
        switch self {
        case .all: ""
        case .domain(let domain): domain
        case .identifiers(let digits): digits
        }
    }

    /// What an item is called at its place, from there on; nil where it is not shown.
    fileprivate func name(of item: StoredItem) -> String? {
        guard case .identifiers = self else { return item.path }
        return item.kind == .file ? item.identifier.description : nil
    }
}
