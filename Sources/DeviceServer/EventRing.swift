internal import FoundationEssentials
internal import Posix
internal import Wire

/// The device's latest events, for `watch`. Bounded: the oldest make room.
final class EventRing: Sendable {
    static let capacity = 4096

    private struct State {
        var events: [WatchedEvent] = []
        /// Where the oldest stands, once the ring is full.
        var start = 0
        var nextSequence: UInt64 = 1
        var watchers: [ObjectIdentifier: WakeUp] = [:]
    }

    /// Guards the ring; nothing that waits is called under it.
    private let state = Lock(State(), rank: .leaf)

    /// Adds an event; called on the threads that serve file operations, so it only appends.
    /// - Parameter program: who did it, where that is known.
    func record(app: String, event: String, path: String?, detail: String?, _ program: Program? = nil) {
        let time = Timestamp(seconds: Date().timeIntervalSince1970)
        let wake = state.withLock { state in
            let event = WatchedEvent(
                sequence: state.nextSequence, time: time, app: app, event: event, path: path, detail: detail,
                pid: program?.processID, program: program?.name)
            state.nextSequence += 1
            if state.events.count < Self.capacity {
                state.events.append(event)
            } else {
                state.events[state.start] = event
                state.start = (state.start + 1) % Self.capacity
            }
            return Array(state.watchers.values)
        }
        for watcher in wake { watcher.signal() }
    }

    /// The events after `sequence` that the ring still holds, oldest first.
    func events(after sequence: UInt64) -> [WatchedEvent] {
        state.withLock { state in
            let ordered = state.events[state.start...] + state.events[..<state.start]
            return ordered.filter { $0.sequence > sequence }
        }
    }

    /// Whether events after `sequence` have made room for others.
    func hasLost(after sequence: UInt64) -> Bool {
        state.withLock { $0.nextSequence > sequence &+ UInt64(Self.capacity) &+ 1 }
    }

    /// The number of the newest event; 0 where there was none.
    var newestSequence: UInt64 { state.withLock { $0.nextSequence - 1 } }

    /// Signals `watcher` at each event until `stop`.
    func start(_ watcher: WakeUp) { state.withLock { $0.watchers[ObjectIdentifier(watcher)] = watcher } }
    func stop(_ watcher: WakeUp) {
        state.withLock { _ = $0.watchers.removeValue(forKey: ObjectIdentifier(watcher)) }
    }
}
