package import CloudStore
internal import Posix
package import StoreBasics
package import SyncLog

/// Finds and reads a log's snapshots. What it hands on are the rows that its maker's tree had, or it throws.
package struct SnapshotReader: Sendable {
    let account: Account
    let log: LogName
    private let content: ContentReader
    private let windowBytes: Int

    /// - Parameter windowBytes: so much is in memory at once, and a page more.
    package init(_ account: Account, log: LogName, limit: RateLimit? = nil, windowBytes: Int = 8 << 20) {
        self.windowBytes = windowBytes
        self.account = account
        self.log = log
        content = ContentReader(account, limit: limit)
    }

    /// All snapshots by ascending slot, with the date of the first answer.
    package func list() async throws(SnapshotError) -> Dated<[SnapshotInfo]> {
        let prefix = account.layout.snapshotPrefix(log)
        let listing = try await SnapshotError.asking(await account.store.listAll(prefix))
        return Dated(listing.value.compactMap { SnapshotInfo($0, in: prefix) }, at: listing.date)
    }

    /// What one snapshot says of itself.
    /// - Throws: `.damaged` where its name says something else, or it is gone.
    package func root(of info: SnapshotInfo) async throws(SnapshotError) -> SnapshotRoot {
        let found = try await SnapshotError.asking(await account.store.get(info.key))
        guard let object = found.value else { throw .damaged("snapshot \(info.sequence) is gone") }
        let root = try SnapshotRoot(object.bytes)
        guard root.head.sequence == info.sequence, root.treeHash == info.treeHash else {
            throw .damaged("snapshot \(info.sequence) says it is another")
        }
        return root
    }

    /// Pages in their order, some at a time.
    func download(
        _ pages: ArraySlice<SnapshotPage>, _ body: ([[UInt8]]) throws(SnapshotError) -> Void
    ) async throws(SnapshotError) {
        var rest = pages
        while !rest.isEmpty {
            let fitting = rest.prefix(upToBytes: windowBytes) { Int($0.chunk.sizeBytes) }
            let window = fitting.isEmpty ? rest.prefix(1) : fitting
            rest = rest.dropFirst(window.count)
            try body(
                await SnapshotError.from(await content.bytes(of: window.map { LocatedChunk($0.chunk) })))
        }
    }

    /// All rows of a snapshot, some at a time.
    /// - Throws: `.damaged` where they are not the tree that the root names: at the end, so whoever took them
    ///   drops them.
    package func records(
        of root: SnapshotRoot, _ body: ([SnapshotRecord]) throws(SnapshotError) -> Void
    ) async throws(SnapshotError) {
        var scan = PageScan()
        try await download(root.pages[...]) { pages throws(SnapshotError) in
            for page in pages { try body(try scan.append(page)) }
        }
        try scan.end(root)
    }

    /// Reads a snapshot back, as must be done before the log below it may go.
    package func verify(_ info: SnapshotInfo) async throws(SnapshotError) {
        try await records(of: try await root(of: info)) { _ in }
    }
}

/// A snapshot, by its name.
package struct SnapshotInfo: Equatable, Sendable {
    package let key: ObjectKey
    /// The last entry of the log that it holds.
    package let sequence: UInt64
    package let treeHash: ContentHash
    package let lastModified: StoreTime
}

extension SnapshotInfo {
    /// Nil where the key is none of a snapshot.
    package init?(_ info: ObjectInfo, in prefix: String) {
        guard let sequence = StoreLayout.sequence(of: info.key, in: prefix),
            let bytes = Hex.bytes(info.key.text.dropFirst(prefix.count + 21)),
            let hash = ContentHash(bytes)
        else { return nil }
        self.init(key: info.key, sequence: sequence, treeHash: hash, lastModified: info.lastModified)
    }
}

/// Reads pages one after the other: whether their rows are in order and make the tree that they should.
struct PageScan {
    private var reader = PageReader()
    private var sum = HashSum()
    private var last: [UInt8] = []

    /// - Returns: the rows that end in the page.
    mutating func append(_ page: [UInt8]) throws(SnapshotError) -> [SnapshotRecord] {
        let records: [SnapshotRecord]
        do { records = try reader.append(page) } catch { throw SnapshotError(page: error) }
        for record in records {
            let key = record.key
            guard last.lexicographicallyPrecedes(key) else { throw .damaged("rows that are out of order") }
            last = key
            sum.add(record.hash)
        }
        return records
    }

    func end(_ root: SnapshotRoot) throws(SnapshotError) {
        do { try reader.end() } catch { throw SnapshotError(page: error) }
        let hash = ContentHash(
            of: ContentHash(high: sum.high, low: sum.low).bytes + root.head.encoded())
        guard hash == root.treeHash else {
            throw .damaged("snapshot \(root.head.sequence) is not the tree that it names")
        }
    }
}

extension SnapshotError {
    fileprivate init(page error: CodingError) { self = .damaged("a snapshot's page: \(error)") }
}
