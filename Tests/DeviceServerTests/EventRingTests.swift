import Posix
import Testing
import Wire

@testable import DeviceServer

@Suite struct EventRingTests {
    @Test func theOldestEventsMakeRoomAndTheOrderStays() {
        let ring = EventRing()
        let total = EventRing.capacity + 10
        for number in 1...total { ring.record(app: "a", event: "\(number)", path: nil, detail: nil) }
        let events = ring.events(after: 0)
        #expect(events.count == EventRing.capacity)
        #expect(events.first?.event == "11")
        #expect(events.last?.event == "\(total)")
        #expect(events.map(\.sequence) == Array(11...UInt64(total)))
    }

    @Test func onlyWhatIsNewerIsGiven() {
        let ring = EventRing()
        for number in 1...5 { ring.record(app: "a", event: "\(number)", path: nil, detail: nil) }
        #expect(ring.events(after: 3).map(\.event) == ["4", "5"])
        #expect(ring.newestSequence == 5)
    }

    @Test func aWatcherIsWokenByAnEventUntilItStops() throws {
        let ring = EventRing()
        let wakeUp = try WakeUp()
        ring.start(wakeUp)
        ring.record(app: "a", event: "x", path: nil, detail: nil)
        #expect(try Waiting.wait(for: [wakeUp.raw], until: Deadline(seconds: 0)) == [true])
        wakeUp.clear()
        ring.stop(wakeUp)
        ring.record(app: "a", event: "y", path: nil, detail: nil)
        #expect(try Waiting.wait(for: [wakeUp.raw], until: Deadline(seconds: 0)) == [false])
    }
}
