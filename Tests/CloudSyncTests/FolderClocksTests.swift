import CloudStore
import StoreBasics
import Testing

@testable import CloudSync
@testable import SyncContent
@testable import SyncLog

/// Devices whose clocks are years apart, in one folder.
struct FolderClocksTests {
    private static let day: Int64 = 86_400
    private static let grace = 7 * day
    private static let decade = 3_650 * day

    private let clock = ContentFixture.Clock()
    private let executor: EngineThread
    private let folder: SharedFolder

    init() throws {
        executor = try EngineThread(yields: false)
        folder = SharedFolder(clock)
    }

    private struct Member {
        let device: EngineDevice
        let store: MachineDatedStore

        var time: StoreTime {
            get throws { try device.storage.read { try $0.treeHead().time } }
        }
        var history: Int {
            get throws { try device.storage.read { try $0.retainedContents(after: nil, limit: .max).count } }
        }
        var gap: ClockGap? { device.engine.shownAccount?.gap }
    }

    private func member(_ seed: UInt64, ahead: Int64 = 0) async -> Member {
        let store = folder.machine(ahead: ahead)
        return Member(device: await EngineDevice(store, clock, executor, seed: seed), store: store)
    }

    /// Bytes on their way, that no log names yet.
    private func send(_ number: UInt8, from member: Member) async throws -> ObjectKey {
        let digits = "0000000000000000000000000000000\(number)"
        let key = try #require(ObjectKey("v1/p/0\(number)/\(digits)"))
        _ = try await member.store.putIfAbsent([1, 2, 3], at: key)
        return key
    }

    @Test func tenYearsAheadAndTenBehindExpireNothingAndItIsSaid() async throws {
        let right = await member(1)
        right.device.disk.write("old", to: "a")
        await right.device.sync()
        right.device.disk.delete("a")
        await right.device.sync()
        let start = clock.storeTime
        let (ahead, behind) = (await member(2, ahead: Self.decade), await member(3, ahead: -Self.decade))
        let all = [right, ahead, behind].map(\.device)
        for round in 0..<40 {
            for (index, device) in all.enumerated() {
                device.disk.write("\(round)", to: LocalPath(["f\(index)"]))
            }
            clock.advance(days: 0.001)
            #expect(await convergeAll(all) < 20)
        }
        let passed = clock.storeTime.seconds(since: start)
        #expect(try right.time.seconds(since: start) <= Self.grace + 2 * passed)
        // Each of the others was saved over 39 times.
        #expect(try right.history >= 1)
        #expect(try right.history == ahead.history)
        let sent = [try await send(1, from: right), try await send(2, from: behind)]
        for wrong in [ahead, behind] {
            let error = await #expect(throws: CollectionError.self) {
                try await wrong.device.engine.collect()
            }
            guard case .clocksApart(let gap) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(gap.description.contains("set this machine's clock"))
        }
        #expect(try #require(ahead.gap).seconds > Self.decade - 30 * Self.day)
        #expect(try #require(behind.gap).seconds < -Self.decade)
        // Whoever's clock is right takes none of it.
        _ = try? await right.device.engine.collect()
        for key in sent { #expect(try await right.store.head(key).value != nil) }
        #expect(try await right.device.engine.check(sample: 100).damaged.isEmpty)
    }

    @Test func aClockThatWasSetRightLetsTheGarbageGo() async throws {
        let (right, ahead) = (await member(1), await member(2, ahead: Self.decade))
        right.device.disk.write("1", to: "a")
        await right.device.sync()
        ahead.device.disk.write("2", to: "b")
        #expect(await convergeAll([right.device, ahead.device]) < 20)
        let key = try await send(1, from: right)
        ahead.store.setClock(ahead: 0)
        for _ in 0..<6 {
            clock.advance(days: 5)
            right.device.disk.write("\(clock.now())", to: "a")
            #expect(await convergeAll([right.device, ahead.device]) < 20)
        }
        #expect(right.gap == nil && ahead.gap == nil)
        #expect(try await ahead.device.engine.collect().deletedObjects > 0)
        #expect(try await right.store.head(key).value == nil)
    }

    @Test func aRestartIsNoReasonToSayAnotherWeek() async throws {
        let right = await member(1)
        right.device.disk.write("1", to: "a")
        await right.device.sync()
        let start = try right.time
        let ahead = await member(2, ahead: Self.decade)
        for round in 0..<10 {
            ahead.device.disk.write("\(round)", to: "b")
            await ahead.device.sync()
            await ahead.device.restart()
        }
        #expect(try ahead.time.seconds(since: start) <= Self.grace + 60)
        #expect(try ahead.time.seconds(since: start) >= Self.grace - 60)
    }

    /// Nobody says anything for a month: the time is brought on before ages are judged by it.
    @Test func anAccountThatRestsIsCollectedAllTheSame() async throws {
        let right = await member(1)
        right.device.disk.write("1", to: "a")
        await right.device.sync()
        let key = try await send(1, from: right)
        let before = try right.time
        clock.advance(days: 29)
        #expect(await right.device.engine.collectIfNeeded())
        #expect(try right.time.seconds(since: before) >= 29 * Self.day)
        #expect(try await right.store.head(key).value == nil)
        #expect(right.gap == nil)
        // And no more often than a week.
        let head = await right.device.status.cursor
        clock.advance(days: 3)
        _ = await right.device.engine.collectIfNeeded()
        #expect(await right.device.status.cursor == head)
    }

    /// A program that was written before any of this has carried the time off: nothing goes on from there.
    @Test func aLogInTheFutureExpiresNothing() async throws {
        let old = await EngineDevice(
            folder.machine(ahead: Self.decade), clock, executor, seed: 9,
            rules: SafetyRules(removed: [.timeIsRationed, .filesAreDatedByLog]))
        old.disk.write("1", to: "a")
        await old.sync()
        let right = await member(1)
        right.device.disk.write("2", to: "b")
        await right.device.sync()
        let future = try right.time
        #expect(future.seconds(since: clock.storeTime) > Self.decade - Self.day)
        right.device.disk.delete("b")
        for _ in 0..<40 {
            await right.device.sync()
            clock.advance(days: 5)
            right.device.disk.write("\(clock.now())", to: "c")
        }
        await right.device.sync()
        #expect(try right.time == future)
        #expect(try right.history >= 1)
        #expect(try #require(right.gap).seconds < 0)
        await #expect(throws: CollectionError.self) { try await right.device.engine.collect() }
    }

    /// Else the next device's commit would find what it says years old.
    @Test func whoIsBehindBeginsAnAppWithTheTimeOfTheAccount() async throws {
        let right = await member(1)
        await right.device.sync()
        let behind = await member(2, ahead: -Self.decade)
        behind.device.disk.write("1", to: "a")
        await behind.device.sync()
        #expect(try abs(behind.time.seconds(since: clock.storeTime)) <= 60)
    }

    /// The cut goes by ages too.
    @Test func noLogIsTruncatedByAWrongClock() async throws {
        let right = await member(1)
        right.device.disk.write("1", to: "a")
        await right.device.sync()
        let store = folder.machine(ahead: Self.decade)
        let account = try await Account.open(store, randomness: ContentFixture.Random(7))
        let container = try #require(try await account.containers().first)
        let truncation = LogTruncation(account, log: .container(container))
        #expect(try await truncation.run() == LogTruncation.Report())
        #expect(try await AccountPresent.ifKnown(account) == nil)
    }
}
