import CloudStore
import StoreBasics
import TestKit
import Testing

@testable import CloudSync
@testable import SyncContent

@Suite("An account in a folder")
struct DirectoryAccountTests {
    @Test("bytes, snapshot, truncation, collection, check and copy work on a disk as in memory")
    func everything() async throws {
        let folder = try TemporaryFolder()
        let store = DirectoryStore(path: folder.path + "/store")
        try DirectoryStore.create(at: folder.path + "/store")
        // The folder's, by which ages are judged there.
        let clock = ContentFixture.Clock(start: StoreTime.machine.seconds - 1000)
        let random = ContentFixture.Random(61)
        let account = try await Account.open(store, randomness: random)
        let log = FixtureLog(account, clock: clock, random: random)
        let files = [random.bytes(2_000_000), random.bytes(100), random.bytes(200), []]
        try await log.create(files)
        let info = try #require(try await log.snapshot())
        try await log.snapshots.verify(info)
        // Nothing here is old, so nothing goes.
        var nothing = LogTruncation.Report()
        let truncation = try await LogTruncation(account, log: log.log).run()
        nothing.nextAt = truncation.nextAt
        #expect(truncation == nothing)
        let collector = Collector(
            account, clock: clock, writer: log.writer, logs: SyncedLogs.fresh(account, clock))
        #expect(try await collector.run().deletedObjects == 0)
        let check = AccountCheck(account, writer: log.writer, logs: SyncedLogs.fresh(account, clock))
        #expect(try await check.run(sample: 10).damaged.isEmpty)
        let target = DirectoryStore(path: folder.path + "/copy")
        try DirectoryStore.create(at: folder.path + "/copy")
        _ = try await AccountCopy(from: store, to: target).run()
        let copied = try #require(try await Account.existing(in: target))
        let content = try LocatedContent(try #require(try log.content(1)))
        #expect(try await ContentReader(copied).read(content, at: 0, count: 3_000_000) == files[0])
    }
}
