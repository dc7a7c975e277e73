internal import CloudStore
internal import SyncLog

/// Reads all that one log needs of the store: whole, or not at all.
struct ContainerRoots: Sendable {
    /// Entries that are asked for at once.
    private static let windowLength = 64
    private static let rowsAtOnce = 1000

    let account: Account
    let log: LogName
    /// Whatever fails here makes the log unreadable, but a store that does not answer.
    private let snapshots: SnapshotReader

    init(_ account: Account, log: LogName) {
        self.account = account
        self.log = log
        snapshots = SnapshotReader(account, log: log)
    }

    /// What a log needs of the store.
    struct Roots {
        /// Objects that are needed whole: pages of snapshots, and operations that lie beside the log.
        var names: Set<StoredName>
        /// At the log's end, and as it was then.
        var tree: any TreeDatabase
        /// The same tree, whose notes may be written.
        var storage: any TreeDatabase
    }

    /// - Parameter storage: the log's tree, read to its end after the store was listed.
    func read(_ storage: any TreeDatabase) async throws(CollectionError) -> Roots {
        var names = try await pages()
        try await readOlderEntries(storage)
        let tree: any TreeDatabase
        do {
            tree = try storage.frozen()
            try tree.readTree { tree in
                // It is being read on meanwhile, in parts of an entry.
                guard try tree.commitProgress() == nil else { throw SnapshotError.changed }
                try insertLists(of: tree, into: &names)
            }
        } catch { throw .unreadable(account.layout.logPrefix(log), "\(error)") }
        try await check(tree)
        return Roots(names: names, tree: tree, storage: storage)
    }

    private func pages() async throws(CollectionError) -> Set<StoredName> {
        var names: Set<StoredName> = []
        do throws(SnapshotError) {
            for info in try await snapshots.list().value {
                for page in try await snapshots.root(of: info).pages {
                    names.insert(account.layout.name(of: page.chunk.hash, at: page.chunk.locator))
                }
            }
        } catch {
            if case .content(.store(let failure)) = error { throw .store(failure) }
            throw .unreadable(account.layout.snapshotPrefix(log), "\(error)")
        }
        return names
    }

    private func insertLists(of tree: any TreeStorage, into names: inout Set<StoredName>) throws {
        var last: UInt64 = 0
        while case let lists = try tree.operationLists(after: last, limit: Self.rowsAtOnce), !lists.isEmpty {
            for list in lists { names.insert(account.layout.name(of: list.hash, at: list.locator)) }
            last = lists[lists.count - 1].sequence
        }
    }

    /// Reads what the log still has from before this device read it: entries never change, so each is read
    /// once, and the next run goes on where this one ends.
    private func readOlderEntries(_ storage: any TreeDatabase) async throws(CollectionError) {
        let prefix = account.layout.logPrefix(log)
        let listing = try await CollectionError.asking(await account.store.list(prefix, after: nil, limit: 1))
        guard let key = listing.value.objects.first?.key else {
            // All of it was truncated: nobody reads what lies below the floor.
            let floor = try await CollectionError.asking(await account.highestFloor(of: log))
            do { try storage.writeTree { try $0.removeOperationLists(before: floor &+ 1) } } catch {
                throw .unreadable(prefix, "\(error)")
            }
            return
        }
        guard let first = StoreLayout.sequence(of: key, in: prefix) else {
            throw .unreadable(key.text, "no entry's name")
        }
        do {
            var next = try storage.writeTree { notes in
                try notes.removeOperationLists(before: first)
                return try notes.entriesReadFrom() ?? notes.treeHead().sequence &+ 1
            }
            while first < next {
                let start = max(first, next - min(next, UInt64(Self.windowLength)))
                let lists = try await lists(in: start..<next)
                let place = next
                try storage.writeTree { notes in
                    // The log was begun anew meanwhile, from a snapshot.
                    guard try notes.entriesReadFrom() ?? place == place else { throw SnapshotError.changed }
                    for list in lists { try notes.addOperationList(list) }
                    try notes.setEntriesReadFrom(start)
                }
                next = start
            }
        } catch let error as CollectionError {
            throw error
        } catch { throw .unreadable(prefix, "\(error)") }
    }

    /// The lists that lie beside these entries.
    private func lists(in sequences: Range<UInt64>) async throws(CollectionError) -> [OperationList] {
        let parallelism = Parallelism(requests: account.store.traits.parallelRequests)
        let lists = try await parallelism.map(Array(sequences)) { sequence async throws(CollectionError) in
            try await list(of: sequence)
        }
        return lists.compactMap(\.self)
    }

    private func list(of sequence: UInt64) async throws(CollectionError) -> OperationList? {
        let key = account.layout.logEntry(log, sequence)
        let object = try await CollectionError.asking(await account.store.get(key).value)
        guard let object else { throw .unreadable(key.text, "truncated meanwhile") }
        guard case .entry(let entry)? = try? LogEntry.decode(object.bytes) else {
            throw .unreadable(key.text, "no entry of this version")
        }
        guard entry.sequence == sequence else { throw .unreadable(key.text, "says it is another entry") }
        guard case .spilled(let spilled) = entry.body else { return nil }
        return OperationList(sequence: sequence, hash: spilled.hash, locator: spilled.locator)
    }

    /// A log that was truncated past what was read, or that says something not known here, may need anything.
    private func check(_ tree: any TreeDatabase) async throws(CollectionError) {
        let prefix = account.layout.floorPrefix(log)
        let floor = try await CollectionError.asking(await account.highestFloor(of: log))
        let state: (head: UInt64, words: [String])
        do { state = try tree.readTree { (try $0.treeHead().sequence, try $0.unknownWords()) } } catch {
            throw .unreadable(prefix, "\(error)")
        }
        guard state.head >= floor else { throw .unreadable(prefix, "truncated up to \(floor)") }
        guard state.words.isEmpty else {
            throw .unreadable(account.layout.logPrefix(log), "words of a later version: \(state.words)")
        }
    }
}
