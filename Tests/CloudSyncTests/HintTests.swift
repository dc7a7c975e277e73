import CloudStore
import Testing

@testable import CloudSync
@testable import SyncContent
@testable import SyncLog

struct HintTests {
    @Test func aHintReadsAsItWasWritten() {
        let hint = Hint(newest: [
            .account: 3, .container(ContainerName(bits: 0xab)): 17, .keyValues(ContainerName(bits: 1)): 2,
        ])
        #expect(Hint(hint.bytes) == hint)
        #expect(Hint(Array("a/xyz 1\naccount\nb/0 5\naccount 99999999999999999999\n\n".utf8)) == Hint())
    }

    @Test func aPollReadsOnlyHintsThatMayHaveChanged() async throws {
        let clock = ContentFixture.Clock()
        let store = SpoiledStore(LogFixture.store(clock))
        let account = Account(store: store, format: LogFixture.format())
        let (own, other) = (account.layout.hint(DeviceID(bits: 1)), account.layout.hint(DeviceID(bits: 2)))
        var board = HintBoard(account: account)
        _ = try await store.put(Hint(newest: [.account: 1]).bytes, at: other)
        _ = try await store.put(Hint(newest: [.account: 100]).bytes, at: own)
        clock.advance(days: 0.001)
        _ = try await board.poll(except: own, logs: 2)
        #expect(board.newest == [.account: 1])
        store.forget()
        _ = try await board.poll(except: own, logs: 2)
        #expect(store.gets == 0)
        _ = try await store.put(Hint(newest: [.account: 2]).bytes, at: other)
        _ = try await board.poll(except: own, logs: 2)
        // Written again within the second in which it was read.
        _ = try await store.put(Hint(newest: [.account: 3]).bytes, at: other)
        _ = try await board.poll(except: own, logs: 2)
        #expect(board.newest == [.account: 3])
    }

    /// Eight other devices spoke since the last poll, in an account of two logs here.
    @Test func manyChangedHintsCostARequestForEachLog() async throws {
        let clock = ContentFixture.Clock()
        let store = SpoiledStore(LogFixture.store(clock))
        let executor = try EngineThread(yields: false)
        var devices: [EngineDevice] = []
        for seed in 1...9 { devices.append(await EngineDevice(store, clock, executor, seed: UInt64(seed))) }
        #expect(await convergeAll(devices) < 20)
        clock.pass(20_000_000_000)
        for device in devices { _ = await device.engine.step() }
        for device in devices.dropFirst() {
            device.disk.write("\(clock.now())", to: "a")
            await device.sync()
        }
        clock.pass(20_000_000_000)
        store.forget()
        _ = await devices[0].engine.step()
        let gets = store.requests.compactMap { if case .get(let key) = $0 { key.text } else { nil } }
        #expect(!gets.contains { $0.hasPrefix(StoreLayout.hintPrefix) })
        // Each log's next slot, what was said, and the empty slot behind it.
        let news = await devices[0].status.cursor
        #expect(gets.count { $0.contains("/log/") } <= 2 + Int(news))
        #expect(await devices[8].status.cursor == news)
        store.forget()
        clock.pass(20_000_000_000)
        _ = await devices[0].engine.step()
        #expect(store.gets == 0)
    }
}

struct PollScheduleTests {
    private static let second: UInt64 = 1_000_000_000

    @Test func anIdleDeviceAsksAtMostOnceInTenSeconds() {
        var schedule = PollSchedule(isWatched: false, now: 0)
        var (now, polls, probes): (UInt64, Int, Int) = (0, 0, 0)
        while now < 3600 * Self.second {
            switch schedule.take(at: now) {
            case .hints: polls += 1
            case .probe: (polls, probes) = (polls + 1, probes + 1)
            case nil: break
            }
            now += Self.second / 4
        }
        #expect(polls == 300)
        #expect(probes == 11)
    }

    @Test func aChangeMakesItAskMoreOftenForFiveMinutes() {
        var schedule = PollSchedule(isWatched: false, now: 0)
        schedule.noteChange(at: 0)
        #expect(schedule.take(at: 0) == .hints)
        #expect(schedule.next == PollSchedule.activeInterval)
        _ = schedule.take(at: 301 * Self.second)
        #expect(schedule.next == 313 * Self.second)
    }

    /// A store that is not watched had a small document wait for two seconds beside very many.
    @Test func whoIsBusyAsksMoreOften() {
        var schedule = PollSchedule(isWatched: false, now: 0)
        #expect(schedule.take(at: 0) == .hints)
        schedule.noteBusy(at: 0)
        #expect(schedule.take(at: Self.second / 4) == nil)
        #expect(schedule.take(at: Self.second / 2) == .hints)
        // And for a while: what others are busy with comes in parts.
        #expect(schedule.take(at: 5 * Self.second) == .hints)
        #expect(schedule.next == 5 * Self.second + PollSchedule.idleInterval)
    }

    @Test func aWatchedStoreIsNeverPolledByTheClock() {
        let schedule = PollSchedule(isWatched: true, now: 0)
        #expect(schedule.next == nil)
    }
}
