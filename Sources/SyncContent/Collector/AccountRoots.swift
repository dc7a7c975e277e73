internal import CloudStore
internal import Posix
internal import StoreBasics
internal import SyncLog

/// Reads all that an account needs: every container's log and tree.
struct AccountRoots: Sendable {
    let account: Account
    let rules: SafetyRules
    let logs: any AccountLogs

    /// Gets what cannot be read, and throws it or goes on without it.
    typealias Unreadable = (CollectionError) throws(CollectionError) -> Void

    /// - Parameters:
    ///   - now: the store's date before anything was read here.
    ///   - part: what the store was seen to have before that; nil: only trees are asked for.
    ///   - held: gets the chunks of backup snapshots.
    ///   - unreadable: where it does not throw, what is answered is not all that lives.
    func read(
        now: StoreTime, of part: StoredPart? = nil,
        held: (HeldChunk) -> Void = { _ in },
        unreadable: Unreadable = { (error) throws(CollectionError) in throw error }
    ) async throws(CollectionError) -> LiveSet {
        var live = LiveSet(of: part)
        try await readBackups(into: &live, held: held, unreadable)
        for name in try await roots(of: .account).names { live.insert(name) }
        // Values lie in the log and its snapshots: nothing refers to objects of their own.
        for store in try await account.keyValueStores() {
            do {
                for name in try await roots(of: .keyValues(store)).names { live.insert(name) }
            } catch { try error.pass(to: unreadable) }
        }
        for container in try await account.containers() {
            do {
                try await read(container, into: &live, now: now)
            } catch { try error.pass(to: unreadable) }
        }
        return live
    }

    private func roots(of log: LogName) async throws(CollectionError) -> ContainerRoots.Roots {
        try await ContainerRoots(account, log: log).read(try await logs.tree(of: log))
    }

    private func read(
        _ container: ContainerName, into live: inout LiveSet, now: StoreTime
    ) async throws(CollectionError) {
        let roots = try await roots(of: .container(container))
        for name in roots.names { live.insert(name) }
        do {
            if live.part != nil {
                try roots.tree.readTree { try insert($0, of: container, into: &live, now: now) }
            }
            live.trees.append(
                LiveSet.Tree(container: container, frozen: roots.tree, storage: roots.storage))
        } catch { throw .unreadable(container.hex, "\(error)") }
    }

    private func insert(
        _ tree: any TreeStorage, of container: ContainerName, into live: inout LiveSet, now: StoreTime
    ) throws {
        let grace = account.format.retention.graceSeconds
        let terms = LiveSet.Terms(
            layout: account.layout, replacedBefore: now.adding(seconds: -grace), rules: rules)
        let time = try tree.treeHead().time
        for doomed in try tree.doomedPacks() where doomed.end <= time { live.doom(doomed.pack) }
        try tree.forEachRow(tree.chunks, after: \.hash) { record in
            live.insert(record, of: container, terms)
        }
    }
}

extension CollectionError {
    /// - Throws: what is of another kind; what `unreadable` throws.
    func pass(to unreadable: AccountRoots.Unreadable) throws(CollectionError) {
        guard case .unreadable = self else { throw self }
        try unreadable(self)
    }
}

extension Account {
    /// The containers that have a log or a snapshot; one LIST for each.
    package func containers() async throws(CollectionError) -> [ContainerName] {
        try await names(below: StoreLayout.containersPrefix)
    }

    /// The same of key-value stores.
    package func keyValueStores() async throws(CollectionError) -> [ContainerName] {
        try await names(below: StoreLayout.keyValuesPrefix)
    }

    private func names(below prefix: String) async throws(CollectionError) -> [ContainerName] {
        var found: [ContainerName] = []
        var after: ObjectKey?
        while let key = try await first(below: prefix, after: after) {
            let name = key.text.dropFirst(prefix.count).pathParts.first ?? ""
            guard name.utf8.count == 32, let bits = UInt128(name, radix: 16) else {
                throw .unreadable(key.text, "no container's name")
            }
            found.append(ContainerName(bits: bits))
            // No key of a container begins with a z.
            after = ObjectKey(wellFormed: "\(prefix)\(name)/zz")
        }
        return found
    }

    /// The first key below a prefix and after a key.
    fileprivate func first(below prefix: String, after: ObjectKey?) async throws(CollectionError)
        -> ObjectKey?
    {
        try await CollectionError.asking(await store.list(prefix, after: after, limit: 1)).value
            .objects.first?.key
    }
}
