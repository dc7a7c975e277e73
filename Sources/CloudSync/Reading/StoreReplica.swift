internal import Posix
internal import SandboxRules
package import SyncContent
package import SyncLog

/// An app's Documents as a store has them, for a machine that is no device of the account: the tree of its
/// log in memory. Nothing is written to the store.
package final class StoreReplica: Sendable {
    private let reader: AccountReader
    private let log: LogClient
    private let numbers = Lock(Numbers())
    private let refresh: LogRefresh

    /// Items have numbers for as long as this lives, and are never renumbered.
    private struct Numbers {
        var ids: [FileID] = [.root]
        var known: [FileID: UInt32] = [.root: 0]
    }

    /// An item of the tree; the top, number 0, has no row.
    package struct Item: Sendable {
        package let number: UInt32
        package let node: Node
    }

    /// Reads the app's log to its end.
    static func open(
        _ reader: AccountReader, app: BundleIdentifier, on executor: any EngineExecutor
    ) async throws(SyncTrouble) -> StoreReplica {
        do {
            let name = LogName.container(reader.account.layout.container(app))
            let log = try LogClient(reading: reader.account, name, on: executor)
            try await log.pull()
            return StoreReplica(reader, log)
        } catch { throw error.plain }
    }

    private init(_ reader: AccountReader, _ log: LogClient) {
        self.reader = reader
        self.log = log
        refresh = LogRefresh(log)
    }

    /// Begins to read on where that was last done more than 5 seconds ago, and after a longer rest waits for
    /// it, for at most a second.
    /// - Parameter failed: told what went wrong; what is known stays.
    package func refreshIfStale(_ failed: @escaping @Sendable (SyncTrouble) -> Void) {
        refresh.look(failed)
    }

    /// - Returns: nil for what is not there, or no more.
    package func item(_ number: UInt32) throws(SyncTrouble) -> Item? {
        guard let id = id(of: number) else { return nil }
        let node = try reading { try $0.item(id) }
        return node.flatMap { $0.isLive ? Item(number: number, node: $0) : nil }
    }

    /// What a directory holds, by name.
    package func items(in directory: UInt32) throws(SyncTrouble) -> [Item] {
        guard let parent = id(of: directory) else { return [] }
        return try reading { try $0.children(of: parent) }.map(numbered)
    }

    /// The item of that name, however it is spelled.
    package func item(named name: String, in directory: UInt32) throws(SyncTrouble) -> Item? {
        guard let parent = id(of: directory) else { return nil }
        return try reading { try $0.item(in: parent, named: name) }.map(numbered)
    }

    /// A file's bytes as the log has them now, for `read`: a later version does not change them.
    /// - Returns: nil for what is no file, or not there.
    package func content(of number: UInt32) throws(SyncTrouble) -> LocatedContent? {
        guard case .file(let content) = try item(number)?.node.current?.content else { return nil }
        return try reading { try $0.located(content) }
    }

    /// Bytes of a file from `offset` on, fewer at its end, each chunk compared with its hash.
    /// - Throws: `SyncTrouble`.
    package func read(
        _ content: LocatedContent, at offset: UInt64, count: Int
    ) async throws(SyncTrouble) -> [UInt8] {
        try await reader.read(content, at: offset, count: count)
    }

    private func reading<Result>(
        _ body: (any SyncTransaction) throws -> Result
    ) throws(SyncTrouble) -> Result {
        do { return try log.storage.reading(body) } catch { throw error.plain }
    }

    private func id(of number: UInt32) -> FileID? {
        numbers.withLock { Int(number) < $0.ids.count ? $0.ids[Int(number)] : nil }
    }

    private func numbered(_ node: Node) -> Item {
        numbers.withLock { numbers in
            if let number = numbers.known[node.id] { return Item(number: number, node: node) }
            // Memory holds fewer items than there are numbers.
            let number = UInt32(clamping: numbers.ids.count)
            numbers.ids.append(node.id)
            numbers.known[node.id] = number
            return Item(number: number, node: node)
        }
    }
}
