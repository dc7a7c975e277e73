import Device
import Posix
import SystemPackage
import TestKit

@testable import DeviceServer
@testable import Wire

/// A device's ring with who remembers and who fans out, as a daemon has them.
final class EventFixture {
    private let place: TemporaryFolder
    let device: Device
    let ring = EventRing()
    let findings: FindingMemory
    let fanOut: EventFanOut
    /// How often somebody was told that watchers left.
    let left = Gate(0)
    private let isEnded = Gate(true)

    init(mostWatchers: Int = EventFanOut.mostWatchers, mostFindings: Int = FindingMemory.most) throws {
        place = try TemporaryFolder()
        device = try Device(directory: try Descriptor(place.path, flags: 0))
        findings = FindingMemory(ring: ring, device: device, log: DaemonLog(), most: mostFindings)
        let left = left
        fanOut = try EventFanOut(ring: ring, findings: findings, mostWatchers: mostWatchers) {
            left.update { $0 += 1 }
        }
    }

    deinit { end() }

    var path: String { place.path }

    /// Has it work from here on.
    func start() throws {
        isEnded.update { $0 = false }
        let (fanOut, isEnded) = (fanOut, isEnded)
        try NativeThread(name: "events") {
            fanOut.run()
            isEnded.update { $0 = true }
        }.detach()
    }

    /// Ends it, where it was started, and waits for that.
    func end() {
        fanOut.end()
        _ = isEnded.wait { $0 ? true : nil }
    }

    func record(_ event: String, _ path: String? = nil, app: String = "a", program: String? = nil) {
        let program = program.map { Program(processID: 7, name: $0) }
        ring.record(app: app, event: event, path: path, detail: "d", program)
    }

    /// - Returns: nil where there are as many watchers as there may be.
    func watch(_ app: String? = nil, since seconds: Double? = nil) throws -> TestWatcher? {
        let position = seconds.map { ring.position(of: app, since: $0) } ?? ring.position(of: app)
        return try UnixSocket.pair().split { ours, theirs in
            guard fanOut.admit(theirs, app: app, at: position) else { return nil }
            return TestWatcher(Channel(ours, limits: .reply))
        }
    }
}

/// A client that watches.
final class TestWatcher {
    private var channel: Channel?

    init(_ channel: Channel) { self.channel = channel }

    func next() throws -> Answer {
        guard let channel else { throw Errno.brokenPipe }
        return try channel.receive(Answer.self, idleSeconds: 30).0
    }

    func hangUp() { channel = nil }

    /// Reads until it was told of so many events, in their order, of the dropped ones by their number.
    /// - Parameter last: the number of the last event before these.
    /// - Returns: how many were dropped.
    func read(_ count: UInt64, after last: UInt64) throws -> UInt64 {
        var (told, dropped) = (last, UInt64(0))
        while told < last + count {
            switch try next() {
            case .dropped(let lost): (told, dropped) = (told + lost, dropped + lost)
            case .event(let event):
                guard event.sequence == told + 1 else { throw Errno.badMessage }
                told += 1
            default: throw Errno.protocolError
            }
        }
        return told == last + count ? dropped : .max
    }
}
