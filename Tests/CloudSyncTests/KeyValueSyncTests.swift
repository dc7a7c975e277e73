import CloudStore
import Posix
import StoreBasics
import SyncContent
import TestKit
import Testing

@testable import CloudSync
@testable import SyncLog

/// Devices with a key-value store in common.
@Suite(.timeLimit(.minutes(2))) struct KeyValueSyncTests {
    let clock = ContentFixture.Clock()
    let executor: EngineThread
    let account: Account

    init() throws {
        executor = try EngineThread(yields: false)
        account = Account(store: LogFixture.store(clock), format: LogFixture.format())
    }

    private func device(_ seed: UInt64, aheadSeconds: Int64 = 0) -> KeyValueDevice {
        KeyValueDevice(account, clock, executor, seed: seed, aheadSeconds: aheadSeconds)
    }

    @Test func whatIsSetOnOneDeviceIsToldOnTheOtherOnce() async throws {
        let (one, two) = (device(1), device(2))
        try await two.sync()
        try one.set("a", "1")
        try one.set("b", "2")
        #expect(try one.values == ["a": "1", "b": "2"] && two.values == [:])
        try await one.sync()
        try await two.sync()
        #expect(try two.values == ["a": "1", "b": "2"])
        #expect(two.told == [KeyValueChange(reason: .server, keys: [KeyName("a"), KeyName("b")])])
        #expect(one.told == [])
        clock.pass(2_000_000_000)
        try two.set("a", nil)
        try await two.sync()
        try await one.sync()
        #expect(try one.values == ["b": "2"])
        #expect(one.told == [KeyValueChange(reason: .server, keys: [KeyName("a")])])
        // Two sets are one entry of the log.
        #expect(try one.storage.read { try $0.treeCursor() } == 2)
    }

    /// An app sets its defaults at its first launch.
    @Test func whatTheAccountHasCountsOverWhatWasSetBeforeItWasHeard() async throws {
        let (one, two) = (device(1), device(2))
        try one.set("theme", "dark")
        try await one.sync()
        clock.pass(5_000_000_000)
        try two.set("theme", "default")
        try two.set("size", "default")
        #expect(try two.values == ["theme": "default", "size": "default"])
        try await two.sync()
        #expect(try two.values == ["theme": "dark", "size": "default"])
        #expect(two.told == [KeyValueChange(reason: .initialSync, keys: [KeyName("theme")])])
        try await one.sync()
        #expect(try one.values == two.values)
    }

    @Test(arguments: [3_600, -3_600, 86_400 * 365 * 10, -86_400 * 365 * 10] as [Int64])
    func theLaterSetCountsHoweverWrongAClockIs(aheadSeconds: Int64) async throws {
        for isWrongLast in [true, false] {
            let wrong = device(1, aheadSeconds: aheadSeconds)
            let right = device(2)
            let (first, last) = isWrongLast ? (right, wrong) : (wrong, right)
            let key = "a \(isWrongLast)"
            // Neither has seen the store, nor what the other does.
            try await device(3).sync()
            try first.set(key, "earlier")
            clock.pass(3_000_000_000)
            try await first.sync()
            clock.pass(3_000_000_000)
            try await last.sync()
            try last.set(key, "later")
            clock.pass(3_000_000_000)
            for device in [last, first, last] { try await device.sync() }
            #expect(try first.values[key] == "later" && last.values[key] == "later")
        }
    }

    /// The batch is in flight then.
    @Test(arguments: [true, false])
    func whatAStoreDidNotTakeGoesUpWhenItIsBack(isLost: Bool) async throws {
        let store = SpoiledStore(account.store)
        let spoiled = Account(store: store, format: account.format)
        let one = KeyValueDevice(spoiled, clock, executor, seed: 1, aheadSeconds: 0)
        try await one.sync()
        store.spoil { request in
            guard case .putIfAbsent = request else { return nil }
            return isLost ? .lose : .refuse(.unreachable("away"))
        }
        try one.set("a", "1")
        _ = await one.round()
        try one.set("b", "2")
        _ = await one.round()
        store.spoil { _ in nil }
        // Nobody told of news.
        #expect(await one.comesToRest())
        let two = device(2)
        try await two.sync()
        #expect(try two.values == ["a": "1", "b": "2"] && one.told == [])
    }

    /// What another device set is told though the round that read it ended before its end.
    @Test func whatWasReadIsToldAfterTrouble() async throws {
        let store = SpoiledStore(account.store)
        let one = KeyValueDevice(
            Account(store: store, format: account.format), clock, executor, seed: 1, aheadSeconds: 0)
        let two = device(2)
        try await one.sync()
        try await two.sync()
        try two.set("a", "theirs")
        try await two.sync()
        try one.set("b", "mine")
        store.spoil { request in
            guard case .putIfAbsent = request else { return nil }
            return .refuse(.unreachable("away"))
        }
        await one.expectNews()
        _ = await one.round()
        store.spoil { _ in nil }
        #expect(await one.comesToRest())
        #expect(one.told == [KeyValueChange(reason: .server, keys: [KeyName("a")])])
    }

    /// A commit's time is no earlier than what is set in it.
    @Test func theLaterSetCountsThoughItsDeviceHeardNothingForAnHour() async throws {
        let (one, two) = (device(1), device(2))
        try await one.sync()
        try await two.sync()
        clock.pass(1_800_000_000_000)
        try two.set("a", "earlier")
        clock.pass(1_800_000_000_000)
        try one.set("a", "later")
        #expect(await one.round().isProgress)
        for device in [two, one] { try await device.sync() }
        #expect(try one.values == ["a": "later"] && two.values == one.values)
    }

    /// An app writes back what it hears, in the same second.
    @Test func whatIsSetInAnswerCountsAtOnce() async throws {
        let (one, two) = (device(1, aheadSeconds: 3_600), device(2))
        try one.set("a", "theirs")
        try await one.sync()
        try await two.sync()
        try two.set("a", "the answer")
        #expect(try two.values == ["a": "the answer"])
        for device in [two, one] { try await device.sync() }
        #expect(try one.values == ["a": "the answer"])
        #expect(KeyValueStamp(milliseconds: 5, count: .max).next == KeyValueStamp(milliseconds: 6))
    }

    /// Its clock is known from the first contact on, and what it says after that is as good as any other's.
    @Test func aClockThatWasAheadBeforeTheFirstContactWinsNoLonger() async throws {
        let (one, two) = (device(1, aheadSeconds: 86_400 * 365), device(2))
        try one.set("first", "1")
        try await one.sync()
        try await two.sync()
        clock.pass(10_000_000_000)
        try one.set("a", "earlier")
        clock.pass(10_000_000_000)
        try two.set("a", "later")
        try await two.sync()
        clock.pass(10_000_000_000)
        try await one.sync()
        #expect(try one.values["a"] == "later")
    }

    @Test func whatDevicesFillTogetherIsKeptAndSaid() async throws {
        let (one, two) = (device(1), device(2))
        for device in [one, two] { try await device.sync() }
        try one.set("a", "twelve bytes")
        try two.set("b", "twelve bytes")
        for device in [one, two, one] { try await device.sync() }
        #expect(try one.values == two.values && one.values.count == 2)
        #expect(one.told == [KeyValueChange(reason: .quotaViolation, keys: [KeyName("b")])])
        try two.set("c", "more")
        for device in [two, one] { try await device.sync() }
        #expect(one.told == [KeyValueChange(reason: .server, keys: [KeyName("c")])])
    }

    /// A storm of sets is some entries of the log, and nothing waits for more than five seconds.
    @Test func setsThatDoNotEndGoUpMoreAndMoreSeldom() {
        var pace = KeyValuePace()
        let second: UInt64 = 1_000_000_000
        var sends: [UInt64] = []
        for now in stride(from: second, to: 60 * second, by: Int(second / 10)) where now >= pace.next {
            pace.noteSend(at: now)
            sends.append(now)
        }
        let pauses = zip(sends, sends.dropFirst()).map { $1 - $0 }
        #expect(pauses.prefix(3) == [second, 2 * second, 4 * second] && sends.count < 20)
        #expect(pauses.allSatisfy { $0 < 5 * second })
        pace.noteSend(at: 100 * second)
        #expect(pace.next == 101 * second)
    }

    @Test func devicesThatSetAndRemoveAtRandomEndEqual() async throws {
        for seed in 0..<40 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            let offsets: [Int64] = [0, 3_600, -3_600, 0, 86_400]
            let devices = (0..<5).map { device(seed &* 10 &+ UInt64($0), aheadSeconds: offsets[$0]) }
            for step in 0..<60 {
                let device = devices[random.below(devices.count)]
                if random.below(3) == 0 {
                    try await device.sync()
                } else {
                    let key = "\(seed) \(random.below(6))"
                    try device.set(key, random.below(4) == 0 ? nil : "\(step)")
                }
                clock.pass(UInt64(random.below(2_000)) * 1_000_000)
            }
            for device in devices + devices { try await device.sync() }
            let values = try devices[0].values
            for device in devices { #expect(try device.values == values, "seed \(seed)") }
        }
    }
}

/// A device's part in a key-value store, with a clock of its own.
final class KeyValueDevice: Sendable {
    private struct Ahead: SyncClock {
        let base: ContentFixture.Clock
        let seconds: Int64

        func now() -> UInt64 { base.now() }
        func wallTime() -> Int64 { base.wallTime() + seconds * 1_000_000_000 }
        func sleep(until moment: UInt64) async throws { try await base.sleep(until: moment) }
    }

    let storage = MemoryStorage()
    private let part: KeyValueSync
    private let clock: Ahead
    private let changes = Lock<[KeyValueChange]>([])

    init(
        _ account: Account, _ clock: ContentFixture.Clock, _ executor: any EngineExecutor, seed: UInt64,
        aheadSeconds: Int64
    ) {
        self.clock = Ahead(base: clock, seconds: aheadSeconds)
        let surroundings = SyncSurroundings(
            store: account.store, clock: self.clock, randomness: ContentFixture.Random(seed),
            executor: executor, events: SilentSink(), rules: .all, settings: SyncSettings())
        let changes = changes
        let attached = AttachedKeyValues(
            identifier: "notes", storage: storage,
            isOverLimit: { $0.values.map(\.count).reduce(0, +) > 20 },
            told: { news in
                if case .changed(let change) = news { changes.withLock { $0.append(change) } }
            })
        part = KeyValueSync(attached, account: account, surroundings: surroundings)
    }

    /// Reads what others set, and sends what waits.
    func sync() async throws {
        await part.expectNews()
        #expect(await part.round(isUrgent: true).isUpToDate)
    }

    /// As the engine does one.
    func round() async -> SyncRound {
        clock.base.pass(20_000_000_000)
        return await part.round()
    }

    func comesToRest() async -> Bool {
        for _ in 0..<20 where await round().isUpToDate { return true }
        return false
    }

    func expectNews() async { await part.expectNews() }

    func set(_ key: String, _ value: String?) throws {
        try KeyValueStore(storage).change(at: clock.wallTime() / 1_000_000) { _ in
            [KeyValueStore.Setting(key: KeyName(key), value: value.map { Array($0.utf8) })]
        }
    }

    var values: [String: String] {
        get throws {
            let all = try KeyValueStore(storage).values()
            return Dictionary(
                uniqueKeysWithValues: all.map { ($0.key.text, String(decoding: $0.value, as: UTF8.self)) })
        }
    }

    /// What others changed, since it was asked for last.
    var told: [KeyValueChange] {
        changes.withLock { changes in
            defer { changes = [] }
            return changes
        }
    }
}
