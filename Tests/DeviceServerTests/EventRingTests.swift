import CLinux
import Posix
import Testing
import Wire

@testable import DeviceServer

@Suite struct EventRingTests {
    private let ring = EventRing()

    private func record(_ names: some Sequence<Int>, app: String = "a") {
        for name in names { ring.record(app: app, event: "\(name)", path: nil, detail: nil) }
    }

    @Test func theOldestEventsMakeRoomAndTheOrderStays() {
        let total = EventRing.capacity + 10
        record(1...total)
        let events = ring.events(of: "a", after: 0)
        #expect(events.count == EventRing.capacity)
        #expect(events.first?.event == "11")
        #expect(events.last?.event == "\(total)")
        #expect(events.map(\.sequence) == Array(11...UInt64(total)))
        #expect(ring.hasLost(after: 9) && !ring.hasLost(after: 10) && !ring.hasLost(after: UInt64.max))
    }

    @Test func onlyWhatIsNewerIsGiven() {
        record(1...5)
        record(6...6, app: "b")
        #expect(ring.events(of: "a", after: 3).map(\.event) == ["4", "5"])
        #expect(ring.newestSequence == 6)
        #expect(ring.entries(after: 1, limit: 2).map(\.event.sequence) == [2, 3])
        #expect(ring.entries(after: UInt64.max).isEmpty)
    }

    @Test func aBurstMakesOneSystemCallForWhoSleepsAndNoneForWhoIsAwake() throws {
        let wakeUp = try WakeUp()
        #expect(ring.wake(wakeUp, after: 0))
        record(1...1000)
        #expect(signals(wakeUp) == 1)
        record(1...10)
        #expect(signals(wakeUp) == 0)
        #expect(!ring.wake(wakeUp, after: 0))
        #expect(ring.wake(wakeUp, after: 1010))
        ring.stopWaking()
        record(1...1)
        #expect(signals(wakeUp) == 0)
    }

    /// How often it was signalled since it was asked last.
    private func signals(_ wakeUp: WakeUp) -> UInt64 {
        var count: UInt64 = 0
        return lx_read(wakeUp.raw, &count, 8) == 8 ? count : 0
    }

    @Test func whoAsksForMoreIsToldFromWhenOnAllIsKnown() throws {
        record(1...3)
        record(4...5, app: "b")
        let now = ring.position(of: "b")
        #expect(now == EventRing.Position(after: 5, next: 3))
        let second = try #require(ring.events(of: "a", after: 0).dropFirst().first).time
        let since = ring.position(of: "a", since: second.seconds)
        #expect(since == EventRing.Position(after: 1, next: 2))
        // Before this daemon.
        let early = ring.position(of: "b", since: 0)
        #expect(early.after == 3 && early.next == 1)
        #expect(try #require(early.knownSince) <= second)
        // Nothing of it has happened.
        #expect(ring.position(of: "c", since: 0).next == 1)

        record(1...EventRing.capacity)
        let cut = ring.position(of: nil, since: second.seconds)
        #expect(cut.after == 5 && cut.next == 6)
        #expect(cut.knownSince == ring.events(of: "a", after: 5).first?.time)
    }

    @Test func ofALongPathTheEndIsKept() throws {
        let path = String(repeating: "d/", count: 4000) + "file"
        ring.record(app: "a", event: "e", path: path, detail: nil)
        let kept = try #require(ring.events(of: "a", after: 0).first?.path)
        #expect(kept.utf8.count == EventRing.pathBytes && path.hasSuffix(kept))
    }
}
