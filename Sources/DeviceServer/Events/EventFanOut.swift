internal import CLinux
internal import Glibc
internal import Posix
internal import Wire

/// Brings the device's events to those who watch, and to what is remembered of them, on one thread of the
/// lowest priority: a file operation only puts its event into the ring.
///
/// After each pass it rests so many times as long as it worked, and a watcher that does not keep up is told
/// how many events it was not sent: thousands of watchers take no more from file operations than a few.
final class EventFanOut: Sendable {
    /// Watchers at once: each has a descriptor, and bytes that the kernel keeps.
    static let mostWatchers = 1024

    private struct Arrival: Sendable {
        let socket: SharedDescriptor
        let app: String?
        let position: EventRing.Position
    }

    private struct State {
        var arrivals: [Arrival] = []
        /// Those that have arrived too.
        var watchers = 0
        var isEnded = false
    }

    private let ring: EventRing
    private let findings: FindingMemory
    private let whenLeft: @Sendable () -> Void
    private let mostWatchers: Int
    /// Signalled by the ring, by arrivals, and at the end.
    private let wakeUp: WakeUp
    private let poller: Poller
    private let state = Lock(State(), rank: .leaf)

    /// - Parameter whenLeft: called when watchers have gone, on this one's thread.
    init(
        ring: EventRing, findings: FindingMemory, mostWatchers: Int = EventFanOut.mostWatchers,
        whenLeft: @escaping @Sendable () -> Void
    ) throws {
        self.ring = ring
        self.findings = findings
        self.mostWatchers = mostWatchers
        self.whenLeft = whenLeft
        wakeUp = try WakeUp()
        poller = try Poller()
        try poller.add(wakeUp.raw, token: FanOutPass.wakeUpToken)
    }

    /// How many watch.
    var watcherCount: Int { state.withLock { $0.watchers } }

    /// Takes a watcher over: from here on its socket is this one's.
    /// - Returns: false where there are as many as there may be.
    func admit(_ socket: consuming Descriptor, app: String?, at position: EventRing.Position) -> Bool {
        let arrival = Arrival(socket: SharedDescriptor(socket), app: app, position: position)
        let isAdmitted = state.withLock { state in
            guard state.watchers < mostWatchers, !state.isEnded else { return false }
            state.watchers += 1
            state.arrivals.append(arrival)
            return true
        }
        if isAdmitted { wakeUp.signal() }
        return isAdmitted
    }

    /// Works until `end`, on the caller's thread. What has happened until then is sent and remembered.
    func run() {
        NativeThread.yieldToOthers()
        var pass = FanOutPass(ring: ring, poller: poller)
        while true {
            // First, and before the look whether this is the end: what is signalled from here on is seen to
            // in the next pass, if not in this one.
            wakeUp.clear()
            if state.withLock({ $0.isEnded }) { break }
            let began = Self.workedSeconds
            let isDone = work(&pass)
            rest(after: Self.workedSeconds - began)
            if isDone { wait(after: pass.newest) }
        }
        _ = work(&pass)
        findings.save()
    }

    func end() {
        state.withLock { $0.isEnded = true }
        wakeUp.signal()
    }

    /// - Returns: whether nothing is left to be done until something happens.
    private func work(_ pass: inout FanOutPass) -> Bool {
        let arrivals = state.withLock { state in
            defer { state.arrivals = [] }
            return state.arrivals
        }
        for arrival in arrivals {
            pass.add(arrival.socket, app: arrival.app, at: arrival.position)
        }
        let end = Self.workedSeconds + Self.mostWorkSeconds
        let isDone = pass.run { Self.workedSeconds < end }
        // After it: `wait` counts on that all that the pass has seen is taken in.
        findings.takeIn()
        findings.saveIfDue()
        let left = pass.removeLeft()
        if left > 0 {
            state.withLock { $0.watchers -= left }
            whenLeft()
        }
        return isDone
    }

    // MARK: - How much it works

    /// How many times as long as a pass took it rests: it has a twentieth of one CPU, and more only
    /// where a pass takes longer than the longest rest is for.
    private static let restPerWork = 20.0
    /// Not shorter, so that a burst of events is one pass; and not so long that the ring is full meanwhile.
    private static let restSeconds = 0.01...0.25
    /// Of one pass: the watchers that it does not get to are the first of the next one.
    private static let mostWorkSeconds = 0.01

    private func rest(after workedSeconds: Double) {
        let seconds = workedSeconds * Self.restPerWork
        let rest = Deadline(
            seconds: min(max(seconds, Self.restSeconds.lowerBound), Self.restSeconds.upperBound))
        // Cut short by an arrival, and by the end.
        _ = try? Waiting.wait(for: [wakeUp.raw], until: rest)
    }

    /// Sleeps until there is an event, a watcher takes more or goes, or something is to be saved.
    private func wait(after newest: UInt64) {
        guard ring.wake(wakeUp, after: newest) else { return }
        // What is ready is looked at in the next pass.
        _ = try? poller.wait(until: findings.saveDue)
        ring.stopWaking()
    }

    /// What this thread has worked, whoever else had the CPU meanwhile.
    private static var workedSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
