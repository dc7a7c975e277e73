internal import CloudStore
internal import StoreBasics
package import SyncLog

/// Writes what a container's log has come to, so that newcomers need not replay it and old entries may go.
/// Pages that the snapshot before has are not sent again.
package struct SnapshotWriter: Sendable {
    let account: Account
    let log: LogName
    let writer: ContentWriter
    let reader: SnapshotReader

    /// - Parameter writer: of the account.
    package init(_ account: Account, log: LogName, writer: ContentWriter) {
        self.account = account
        self.log = log
        self.writer = writer
        reader = SnapshotReader(account, log: log)
    }

    /// Writes a tree, or finds that somebody did.
    /// - Parameter tree: stands still meanwhile (`TreeDatabase.frozen`).
    /// - Returns: the snapshot; nil of an empty tree.
    /// - Throws: `.changed` where the tree went on.
    package func write(_ tree: any TreeDatabase) async throws(SnapshotError) -> SnapshotInfo? {
        let tree = try TreePages(tree, account.sizes)
        guard tree.head.sequence > 0 else { return nil }
        let listing = try await reader.list()
        if let made = listing.value.first(where: {
            $0.sequence == tree.head.sequence && $0.treeHash == tree.treeHash
        }) {
            return made
        }
        // With nothing reused nothing can have gone meanwhile, unless it takes days.
        let before = try await previous(in: listing.value)
        if let info = try await write(tree, listing.date, reusing: before) { return info }
        if let info = try await write(tree, listing.date, reusing: nil) { return info }
        throw .changed
    }

    /// A snapshot and what is in its root.
    private struct Previous {
        var info: SnapshotInfo
        var root: SnapshotRoot
    }

    /// One that cannot be read is none to build on.
    private func previous(in snapshots: [SnapshotInfo]) async throws(SnapshotError) -> Previous? {
        guard let info = snapshots.last else { return nil }
        do { return Previous(info: info, root: try await reader.root(of: info)) } catch {
            if case .content(.store) = error { throw error }
            return nil
        }
    }

    /// - Returns: nil where what it relied on may not be there any more.
    private func write(
        _ tree: TreePages, _ date: StoreTime, reusing previous: Previous?
    ) async throws(SnapshotError) -> SnapshotInfo? {
        let known = Self.known(previous?.root)
        let plan = try await SnapshotError.from(
            await writer.plan(tree.contents, known: known, leavingSparsePacks: true))
        let sent = try await SnapshotError.from(await writer.send(plan, from: tree))
        let root = SnapshotRoot(
            head: tree.head, treeHash: tree.treeHash, usedBytes: tree.usedBytes,
            words: tree.words,
            pages: plan.contents.flatMap(\.chunks).map { chunk in
                let since = known[chunk.hash].flatMap {
                    $0.locator == chunk.locator ? $0.referencedSince : nil
                }
                return SnapshotPage(chunk: chunk, since: since ?? date)
            })
        let info = SnapshotInfo(
            key: account.layout.snapshot(log, tree.head.sequence, tree.treeHash),
            sequence: tree.head.sequence, treeHash: tree.treeHash, lastModified: date)
        let written = try await SnapshotError.asking(
            await account.store.putIfAbsent(root.encoded(), at: info.key))
        guard written.value == .written else { return info }
        let holds = sent.checks.hold(
            at: written.date, clock: writer.clock.now(), writer.retention, writer.rules)
        let isChained = try await stillThere(previous?.info)
        if sent.stale.isEmpty, holds, isChained { return info }
        _ = try await SnapshotError.asking(await account.store.delete(info.key))
        return nil
    }

    /// The chain has no break only where the snapshot before was there until this one was.
    private func stillThere(_ info: SnapshotInfo?) async throws(SnapshotError) -> Bool {
        guard let info else { return true }
        return try await SnapshotError.asking(await account.store.head(info.key)).value != nil
    }

    private static func known(_ root: SnapshotRoot?) -> [ContentHash: KnownChunk] {
        let pages = root?.pages.map { page in
            (page.chunk.hash, KnownChunk(locator: page.chunk.locator, referencedSince: page.since))
        }
        return Dictionary(pages ?? [], uniquingKeysWith: { first, _ in first })
    }
}

extension SnapshotError {
    static func from<Value: Sendable>(
        _ body: @autoclosure () async throws(ContentError) -> Value
    ) async throws(SnapshotError) -> Value {
        do { return try await body() } catch {
            throw error == .changed ? .changed : .content(error)
        }
    }

    static func store(_ error: StoreError) -> SnapshotError { .content(.store(error)) }
}
