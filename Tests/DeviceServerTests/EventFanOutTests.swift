import Posix
import TestKit
import Testing

@testable import DeviceServer
@testable import Wire

@Suite struct EventFanOutTests {
    @Test func whoDoesNotReadIsToldHowMuchItLostAndKeepsNobodyWaiting() throws {
        let fixture = try EventFixture()
        try fixture.start()
        let stalled = try #require(try fixture.watch())
        let reader = try #require(try fixture.watch())
        for watcher in [stalled, reader] { #expect(try watcher.next() == .watching(knownSince: nil)) }
        // More than its socket and its stream hold: it has the beginning of a frame then.
        let path = String(repeating: "p", count: 200)
        for round in 0..<UInt64(40) {
            for _ in 0..<100 { fixture.record("e", path) }
            #expect(try reader.read(100, after: round * 100) == 0)
        }
        let dropped = try stalled.read(4000, after: 0)
        #expect((1000..<4000).contains(dropped))
        fixture.record("last")
        #expect(try stalled.read(1, after: 4000) == 0)
        #expect(try reader.read(1, after: 4000) == 0)
    }

    @Test func whatTheRingLostIsToldTooAndNothingOfOtherApps() throws {
        let fixture = try EventFixture()
        let ofA = try #require(try fixture.watch("a"))
        let ofB = try #require(try fixture.watch("b"))
        for _ in 0..<10 { fixture.record("old") }
        fixture.record("old", app: "b")
        for _ in 0..<EventRing.capacity - 1 { fixture.record("new") }
        fixture.record("new", app: "b")
        try fixture.start()
        #expect(try ofA.next() == .watching(knownSince: nil) && ofA.next() == .dropped(count: 10))
        for _ in 0..<EventRing.capacity - 1 {
            guard case .event(let event) = try ofA.next(), event.event == "new", event.app == "a" else {
                Issue.record("another event")
                break
            }
        }
        #expect(try ofB.next() == .watching(knownSince: nil) && ofB.next() == .dropped(count: 1))
        guard case .event(let event) = try ofB.next() else {
            Issue.record("no event")
            return
        }
        #expect(event.event == "new" && event.app == "b")
    }

    @Test func whoAsksForThePastGetsItAndThenWhatComes() throws {
        let fixture = try EventFixture()
        for number in 1...1000 {
            fixture.record("\(number)")
            fixture.record("x", app: "b")
        }
        let early = try #require(try fixture.watch("c"))
        try fixture.start()
        #expect(try early.next() == .watching(knownSince: nil))
        // There is a stream already, which begins here.
        let live = try #require(try fixture.watch("a"))
        #expect(try live.next() == .watching(knownSince: nil))
        let watcher = try #require(try fixture.watch("a", since: 0))
        guard case .watching(.some) = try watcher.next() else {
            Issue.record("all is known")
            return
        }
        fixture.record("1001")
        let told = try (1...1001).map { _ in
            if case .event(let event) = try watcher.next() { event.event } else { "" }
        }
        #expect(told == (1...1001).map(String.init))
        guard case .event(let event) = try live.next() else {
            Issue.record("no event")
            return
        }
        #expect(event.event == "1001")
    }

    @Test func watchersAreLimitedAndThoseThatGoMakeRoom() throws {
        let fixture = try EventFixture(mostWatchers: 2)
        try fixture.start()
        let first = try #require(try fixture.watch())
        let second = try #require(try fixture.watch())
        #expect(try first.next() == .watching(knownSince: nil) && second.next() == .watching(knownSince: nil))
        #expect(try fixture.watch() == nil)
        first.hangUp()
        let told: Bool? = fixture.left.wait(timeoutSeconds: 30) { $0 > 0 ? true : nil }
        #expect(told == true && fixture.fanOut.watcherCount == 1)
        let third = try #require(try fixture.watch())
        #expect(try third.next() == .watching(knownSince: nil))
        fixture.record("e")
        #expect(try second.read(1, after: 0) == 0 && third.read(1, after: 0) == 0)
    }

    @Test func atTheEndWhatHasHappenedIsSentAndRemembered() throws {
        let fixture = try EventFixture()
        let watcher = try #require(try fixture.watch())
        fixture.record("refused", "p")
        fixture.fanOut.end()
        fixture.fanOut.run()
        #expect(try watcher.next() == .watching(knownSince: nil) && watcher.read(1, after: 0) == 0)
        #expect(fixture.findings.saveDue == nil)
        #expect(try fixture.watch() == nil)
    }
}
