import CloudStore
import Posix
import Testing

@testable import CloudSync

/// A database that is written without pause never has a second without a change; its copy waits for one
/// (SPEC.md 4).
struct OverdueCopyTests {
    private static let path: LocalPath = "d.sqlite"

    private func device(
        _ store: SpoiledStore, _ clock: ContentFixture.Clock
    ) async throws -> EngineDevice {
        let device = await EngineDevice(store, clock, try EngineThread(yields: false), seed: 1)
        #expect(await device.sync().isUpToDate)
        device.disk.write("rows", to: Self.path)
        device.disk.find(Self.path)?.changed = clock.wallTime()
        device.disk.overdue = [Self.path]
        store.forget()
        return device
    }

    private func contents(sentTo store: SpoiledStore) -> Int {
        store.requests.count {
            if case .putIfAbsent(let key, _) = $0 { !key.text.contains("/log/") } else { false }
        }
    }

    @Test func aFlagThatIsSetWithinASecondOfItsCopyComesBeforeTheFirstByte() async throws {
        let clock = ContentFixture.Clock()
        let store = SpoiledStore(LogFixture.store(clock))
        let device = try await device(store, clock)
        let disk = device.disk
        clock.duringSleep { disk.setFlag(true, Self.path) }
        await device.sync()
        #expect(disk.find(Self.path)?.isFlagged == true)
        #expect(contents(sentTo: store) == 0)
    }

    @Test func itGoesUpASecondAfterItsCopyAndInTheSameRound() async throws {
        let clock = ContentFixture.Clock()
        let store = SpoiledStore(LogFixture.store(clock))
        let device = try await device(store, clock)
        let began = clock.now()
        let sentAt = Lock<UInt64?>(nil)
        store.spoil { request in
            if case .putIfAbsent = request { sentAt.withLock { $0 = $0 ?? clock.now() } }
            return nil
        }
        await device.sync()
        let waited = try #require(sentAt.withLock { $0 }) - began
        #expect((1_000_000_000..<2_000_000_000).contains(waited))
        #expect(await device.status.pendingUploads == 0)
    }
}
