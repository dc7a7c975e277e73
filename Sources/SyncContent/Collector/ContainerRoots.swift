internal import CloudStore
internal import SyncLog

/// Reads all that one log needs of the store: whole, or not at all.
struct ContainerRoots: Sendable {
    let account: Account
    let log: LogName
    /// Whatever fails here makes the log unreadable, but a store that does not answer.
    private let snapshots: SnapshotReader

    init(_ account: Account, log: LogName) {
        self.account = account
        self.log = log
        snapshots = SnapshotReader(account, log: log)
    }

    /// The tree at the log's end comes into `storage`; what snapshots and entries need by themselves is
    /// returned: pages, and operations that lie beside the log.
    func read(into storage: any TreeDatabase) async throws(CollectionError) -> Set<StoredName> {
        var names = try await loadSnapshots(into: storage)
        let prefix = account.layout.logPrefix(log)
        let listing = try await CollectionError.asking(await account.store.listAll(prefix))
        var window = listing.value[...]
        while !window.isEmpty {
            let keys = window.prefix(64).map(\.key)
            window = window.dropFirst(64)
            let entries = try await entries(at: keys)
            for (key, entry) in zip(keys, entries) {
                if case .spilled(let spilled) = entry.entry.body {
                    names.insert(account.layout.name(of: spilled.hash, at: spilled.locator))
                }
                try await apply(entry, key, to: storage)
            }
        }
        try await checkFloor(storage)
        return names
    }

    private struct ReadEntry: Sendable {
        var entry: LogEntry
        var hash: ContentHash
    }

    private func loadSnapshots(into storage: any TreeDatabase) async throws(CollectionError) -> Set<
        StoredName
    > {
        let prefix = account.layout.snapshotPrefix(log)
        var names: Set<StoredName> = []
        do {
            let made = try await snapshots.list().value
            for info in made {
                for page in try await snapshots.root(of: info).pages {
                    names.insert(account.layout.name(of: page.chunk.hash, at: page.chunk.locator))
                }
            }
            guard let newest = made.last else { return names }
            let fetched = try await snapshots.fetch(newest)
            do { try storage.writeTree { try fetched.load(into: $0) } } catch {
                throw SnapshotError.storage("\(error)")
            }
        } catch let error as SnapshotError {
            if case .content(.store(let failure)) = error { throw .store(failure) }
            throw .unreadable(prefix, "\(error)")
        } catch {
            throw .unreadable(prefix, "\(error)")
        }
        return names
    }

    private func entries(at keys: [ObjectKey]) async throws(CollectionError) -> [ReadEntry] {
        let parallelism = Parallelism(requests: account.store.traits.parallelRequests)
        let objects = try await parallelism.map(keys) { key async throws(CollectionError) in
            try await CollectionError.asking(await account.store.get(key).value)
        }
        var entries: [ReadEntry] = []
        for (key, object) in zip(keys, objects) {
            guard let object else { throw .unreadable(key.text, "truncated meanwhile") }
            let decoded: DecodedEntry?
            do { decoded = try LogEntry.decode(object.bytes) } catch { decoded = nil }
            guard case .entry(let entry) = decoded else {
                throw .unreadable(key.text, "no entry of this version")
            }
            entries.append(ReadEntry(entry: entry, hash: ContentHash(of: object.bytes)))
        }
        return entries
    }

    private func apply(
        _ read: ReadEntry, _ key: ObjectKey, to storage: any TreeDatabase
    ) async throws(CollectionError) {
        let entry = read.entry
        guard StoreLayout.sequence(of: key, in: account.layout.logPrefix(log)) == entry.sequence else {
            throw .unreadable(key.text, "says it is entry \(entry.sequence)")
        }
        let commit = try await commit(entry, key)
        do {
            try storage.writeTree { tree in
                guard entry.sequence > (try tree.treeHead().sequence) else { return }
                _ = try TreeState(tree).apply(commit, entryHash: read.hash)
            }
        } catch { throw .unreadable(key.text, "\(error)") }
    }

    private func commit(_ entry: LogEntry, _ key: ObjectKey) async throws(CollectionError) -> Commit {
        if let commit = entry.commit { return commit }
        guard case .spilled(let spilled) = entry.body else { throw .unreadable(key.text, "no operations") }
        do {
            let bytes = try await ContentReader(account).bytes(of: LocatedChunk(spilled))
            return try entry.commit(spilled: bytes)
        } catch let error as ContentError {
            if case .store(let failure) = error { throw .store(failure) }
            throw .unreadable(key.text, "\(error)")
        } catch { throw .unreadable(key.text, "\(error)") }
    }

    /// A log that was truncated past what was read, or that says something not known here, may need anything.
    private func checkFloor(_ storage: any TreeDatabase) async throws(CollectionError) {
        let prefix = account.layout.floorPrefix(log)
        let floor = try await CollectionError.asking(await account.highestFloor(of: log))
        let state: (head: UInt64, words: [String])
        do { state = try storage.readTree { (try $0.treeHead().sequence, try $0.unknownWords()) } } catch {
            throw .unreadable(prefix, "\(error)")
        }
        guard state.head >= floor else { throw .unreadable(prefix, "truncated up to \(floor)") }
        guard state.words.isEmpty else {
            throw .unreadable(account.layout.logPrefix(log), "words of a later version: \(state.words)")
        }
    }
}
