import CloudStore
import StoreBasics
import Testing

@testable import CloudSync
@testable import SyncContent
@testable import SyncLog

@Suite("A snapshot is the tree, in pages that stay")
final class SnapshotTests: AccountFixture {
    init() async throws { try await super.init(seed: 21) }

    private func names(_ count: Int, from first: Int = 1) -> [Operation] {
        (first..<first + count).map { name(FileID(bits: UInt128($0) &* Self.spread), $0) }
    }

    private func name(_ file: FileID, _ number: Int) -> Operation {
        .create(
            Creation(
                file: file, parent: .root, name: "document \(number)", content: .symlink(target: [1, 2, 3]),
                attributes: Attributes(mode: 0o644, modified: Int64(number))))
    }

    @Test("pages stay small where items were made together")
    func neighbours() async throws {
        let files = sequence(first: FileID(bits: random.identifier()), next: \.next)
        try await log.commit(zip(files, 0..<3_000).map(name))
        let pages = try TreePages(log.storage, ContentSizes()).pages
        #expect(pages.count > 5 && pages.count < 40)
    }

    private func load(_ info: SnapshotInfo) async throws -> MemoryStorage {
        let storage = MemoryStorage()
        let fetched = try await log.snapshots.fetch(info, into: storage)
        try storage.write { try fetched.load(into: $0) }
        return storage
    }

    @Test("what is read back is the tree that was written")
    func roundTrip() async throws {
        try await log.create([random.bytes(3_000_000), random.bytes(10), random.bytes(11)])
        try await log.commit(names(1_500))
        try await log.delete(2)
        let info = try #require(try await log.snapshot())
        let loaded = try await load(info)
        #expect(try loaded.read { try $0.treeHash() } == log.storage.read { try $0.treeHash() })
        #expect(try loaded.read { try $0.treeHead() } == log.storage.read { try $0.treeHead() })
        #expect(
            try loaded.read { try $0.node(FileID(bits: 1)) }
                == log.storage.read { try $0.node(FileID(bits: 1)) })
        try await log.snapshots.verify(info)
    }

    @Test("two makers of one snapshot make one")
    func twoMakers() async throws {
        try await log.commit(names(2_000))
        let first = try await log.snapshot()
        #expect(try await log.snapshot() == first)
        #expect(try await log.snapshots.list().value.count == 1)
        // Also where neither sees the other's: the pages are the same runs of bytes.
        let one = try TreePages(log.storage, ContentSizes())
        let other = try TreePages(log.storage, ContentSizes())
        #expect(one.pages == other.pages && one.pages.count > 3)
    }

    @Test("what the log requires is told to who joins from it, though its maker knows that")
    func requiredFeatures() async throws {
        let batch = Batch(
            device: DeviceID(bits: 1), n: 1,
            operations: [.require(feature: "tags"), .require(feature: "new")])
        let commit = Commit(
            sequence: 1, previous: TreeHead.empty.entryHash, time: StoreTime(seconds: 1), batch: batch,
            batchHash: ContentHash(of: []))
        try log.storage.write { transaction in
            var tree = TreeState(transaction)
            tree.features = ["tags", "new"]
            _ = try tree.apply(commit, entryHash: ContentHash(of: [1]))
        }
        #expect(try log.storage.read { try $0.unknownWords(knowing: ["tags", "new"]) } == [])
        let loaded = try await load(try #require(try await log.snapshot()))
        #expect(try loaded.read { try $0.unknownWords(knowing: ["tags"]) } == ["feature new"])
        #expect(try loaded.read { try $0.unknownWords() } == ["feature new", "feature tags"])
    }

    @Test("a small change sends few pages again")
    func reuse() async throws {
        try await log.commit(names(4_000))
        _ = try await log.snapshot()
        try await log.commit(names(1, from: 50_000))
        store.forget()
        let info = try #require(try await log.snapshot())
        let root = try await log.snapshots.root(of: info)
        let pageBytes = root.pages.reduce(0) { $0 + Int($1.chunk.sizeBytes) }
        #expect(store.putBytes < pageBytes / 5)
        #expect(try await load(info).read { try $0.treeHash() } == log.storage.read { try $0.treeHash() })
    }

    @Test("a record larger than a page is cut, and read whole")
    func largeRecords() async throws {
        // A file may have the same bytes again and again: its record is as large as any.
        let chunks = (0..<23_000).map { index in
            let index = index % 100
            return Chunk(
                hash: ContentHash(of: withUnsafeBytes(of: index, Array.init)), sizeBytes: 1 << 20,
                locator: .object(UInt64(index)))
        }
        let content = FileContent(
            hash: ContentHash(of: []), sizeBytes: UInt64(chunks.count) << 20, chunks: chunks)
        try await log.commit([
            .create(
                Creation(
                    file: FileID(bits: 9), parent: .root, name: "large", content: .file(content),
                    attributes: Attributes(mode: 0o600, modified: 0)))
        ])
        let info = try #require(try await log.snapshot())
        #expect(try await load(info).read { try $0.treeHash() } == log.storage.read { try $0.treeHash() })
    }

    @Test("a fetch that was ended in its middle goes on there", arguments: [false, true])
    func interruptedFetch(isDatabase: Bool) async throws {
        try await log.commit(names(2_000))
        let info = try #require(try await log.snapshot())
        let reader = SnapshotReader(account, log: log.log, windowBytes: 1)
        let count = try await reader.root(of: info).pages.count
        let storage: any SyncStorage = try isDatabase ? SQLiteStorage(path: "") : MemoryStorage()
        let calls = LostOnce()
        // The root, and two pages.
        store.spoil { if case .get = $0, calls.count() > 3 { .refuse(.unreachable("")) } else { nil } }
        await #expect(throws: SnapshotError.self) { try await reader.fetch(info, into: storage) }
        #expect(try storage.read { try $0.fetchedPages(of: info.treeHash) } == 2)
        store.heal()
        store.forget()
        let fetched = try await reader.fetch(info, into: storage)
        #expect(store.gets == 1 + count - 2)
        try storage.write { try fetched.load(into: $0) }
        #expect(try storage.read { try $0.treeHash() } == log.storage.read { try $0.treeHash() })
        #expect(try storage.read { try $0.fetchedPages(of: info.treeHash) } == 0)
    }

    @Test("pages of another snapshot, and damaged ones, are not kept")
    func otherPages() async throws {
        try await log.commit(names(2_000))
        let first = try #require(try await log.snapshot())
        let storage = try SQLiteStorage(path: "")
        _ = try await log.snapshots.fetch(first, into: storage)
        clock.advance(days: 1)
        try await log.delete(1)
        try await log.commit(names(1, from: 9_000))
        let second = try #require(try await log.snapshot())
        let fetched = try await log.snapshots.fetch(second, into: storage)
        #expect(try storage.read { try $0.fetchedPages(of: first.treeHash) } == 0)
        try storage.write { try fetched.load(into: $0) }
        try storage.write { tree in
            for page in [[1, 2, 3], [4]] as [[UInt8]] { try tree.addFetchedPage(page, of: first.treeHash) }
        }
        await #expect(throws: SnapshotError.self) {
            try await log.snapshots.fetch(first, into: storage)
        }
        // From the beginning the next time.
        #expect(try storage.read { try $0.fetchedPages(of: first.treeHash) } == 0)
        _ = try await log.snapshots.fetch(first, into: storage)
    }

    @Test("pages that an older chain may have lost are sent again")
    func brokenChain() async throws {
        try await log.commit(names(2_000))
        let first = try #require(try await log.snapshot())
        clock.advance(days: 20)
        try await log.commit(names(1, from: 9_000))
        // The snapshot before goes while this one is written.
        let (store, key) = (store, first.key)
        let once = LostOnce()
        store.spoil { request in
            if case .head(key) = request, once.first(key) { return .hide }
            return nil
        }
        let second = try #require(try await log.snapshot())
        let (old, new) = (try await log.snapshots.root(of: first), try await log.snapshots.root(of: second))
        let places = Set(old.pages.map { account.layout.name(of: $0.chunk.hash, at: $0.chunk.locator) })
        #expect(
            new.pages.allSatisfy {
                !places.contains(account.layout.name(of: $0.chunk.hash, at: $0.chunk.locator))
            })
    }

    @Test("wrong bytes in a page, a cut root and a renamed one are found out")
    func damaged() async throws {
        try await log.commit(names(1_000))
        let info = try #require(try await log.snapshot())
        store.spoil { if case .get(let key) = $0, key != info.key { .change } else { nil } }
        await #expect(throws: SnapshotError.self) { try await log.snapshots.verify(info) }
        store.spoil { if case .get(info.key) = $0 { .change } else { nil } }
        await #expect(throws: SnapshotError.self) { try await log.snapshots.verify(info) }
        store.heal()
        let bytes = try #require(try await store.get(info.key).value?.bytes)
        for length in [0, 1, bytes.count / 2, bytes.count - 1] {
            #expect(throws: SnapshotError.self) { try SnapshotRoot(Array(bytes[..<length])) }
        }
        let other = account.layout.snapshot(log.log, 99, info.treeHash)
        _ = try await store.put(bytes, at: other)
        let listed = try #require(try await log.snapshots.list().value.last)
        await #expect(throws: SnapshotError.self) { try await log.snapshots.root(of: listed) }
    }

    @Test("a page that says more than it has is refused, whatever it is")
    func hostilePages() throws {
        var reader = PageReader()
        #expect(throws: CodingError.self) { try reader.append([0xFF, 0xFF, 0xFF, 0xFF, 1]) }
        for seed in 0..<300 as Range<UInt64> {
            var reader = PageReader()
            _ = try? reader.append([0, 0, 0, 20] + ContentFixture.Random(seed).bytes(64))
        }
    }

    @Test("the next snapshot is due after a thousand commits or a MiB of log, of a large tree after more")
    func policy() {
        let policy = SnapshotPolicy()
        #expect(!policy.isDue(commits: 999, logBytes: 1_000, documents: 100_000))
        #expect(policy.isDue(commits: 1_000, logBytes: 0, documents: 100_000))
        #expect(policy.isDue(commits: 5, logBytes: 1 << 20, documents: 1 << 14))
        #expect(!policy.isDue(commits: 0, logBytes: 1 << 20, documents: 1))
        #expect(!policy.isDue(commits: 4_999, logBytes: 1 << 20, documents: 500_000))
        #expect(policy.isDue(commits: 5_000, logBytes: 0, documents: 500_000))
        #expect(policy.isDue(commits: 10_000, logBytes: 0, documents: 1 << 62))
        #expect(policy.isDue(commits: 1, logBytes: 64_000_000, documents: 1_000_000))
    }

    @Test("a page whose pack is mostly of others is sent again, so a store holds twice the newest at most")
    func sparsePacks() async throws {
        try await log.commit(names(1_500))
        for round in 0..<24 {
            // Other pages each time: some of each pack stay.
            let moves = (1...20).map { number in
                Operation.move(
                    file: FileID(bits: UInt128((number * 97 + round * 131) % 1_500 + 1) &* Self.spread),
                    parent: .root, name: "document \(number) \(round)")
            }
            try await log.commit(moves)
            clock.advance(days: 9)
            _ = try await log.snapshot()
            _ = try await LogTruncation(account, log: log.log).run()
        }
        let info = try #require(try await log.snapshots.list().value.last)
        let pages = try await log.snapshots.root(of: info).pages
        let names = Set(pages.map { account.layout.name(of: $0.chunk.hash, at: $0.chunk.locator) })
        var stored: UInt64 = 0
        for name in names {
            stored += try #require(try await store.head(account.layout.object(name)).value).sizeBytes
        }
        let needed = pages.reduce(0) { $0 + UInt64($1.chunk.sizeBytes) }
        #expect(stored <= 2 * needed, "\(stored) of \(needed)")
        #expect(try await load(info).read { try $0.treeHash() } == log.storage.read { try $0.treeHash() })
    }

    private static let spread: UInt128 = 0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835
}
