internal import Posix
internal import Wire

/// The device's latest events. Bounded: the oldest make room.
final class EventRing: Sendable {
    static let capacity = 4096
    /// Of a longer path the end is kept: what the ring holds is bounded too.
    static let pathBytes = 4096

    struct Entry: Sendable {
        let event: WatchedEvent
        /// How many events of its app there were with it: who wants no others sees by that what is missing.
        let numberInApp: UInt64
    }

    /// Where somebody begins to follow.
    struct Position: Sendable, Equatable {
        /// The last event that is not wanted.
        var after: UInt64
        /// The number of the first that is: by `sequence`, or among those of one app.
        var next: UInt64
        /// From when on everything is known, where more was asked for.
        var knownSince: Timestamp?
    }

    private struct State {
        /// By `slot`.
        var entries: [Entry] = []
        var newest: UInt64 = 0
        var counts: [String: UInt64] = [:]
        /// Who is to be woken by the next event.
        var waiting: WakeUp?

        var oldest: UInt64 { newest - UInt64(entries.count) + 1 }

        static func slot(_ sequence: UInt64) -> Int { Int((sequence - 1) % UInt64(EventRing.capacity)) }
    }

    /// Guards the ring; nothing that waits is called under it.
    private let state = Lock(State(), rank: .leaf)
    private let began = Timestamp.now

    /// Adds an event. Called on the threads that serve file operations: a system call is made only where
    /// somebody sleeps until an event comes, and then one.
    /// - Parameter program: who did it, where that is known.
    func record(app: String, event: String, path: String?, detail: String?, _ program: Program? = nil) {
        let time = Timestamp.now
        let path = path.map(Self.bounded)
        // What made room is given back outside of the lock.
        let (waiting, replaced) = state.withLock { state -> (WakeUp?, Entry?) in
            state.newest += 1
            let numberInApp = state.counts[app, default: 0] + 1
            state.counts[app] = numberInApp
            let entry = Entry(
                event: WatchedEvent(
                    sequence: state.newest, time: time, app: app, event: event, path: path, detail: detail,
                    pid: program?.processID, program: program?.name),
                numberInApp: numberInApp)
            let waiting = state.waiting
            state.waiting = nil
            guard state.entries.count == Self.capacity else {
                state.entries.append(entry)
                return (waiting, nil)
            }
            let replaced = state.entries[State.slot(state.newest)]
            state.entries[State.slot(state.newest)] = entry
            return (waiting, replaced)
        }
        waiting?.signal()
        withExtendedLifetime(replaced) {}
    }

    private static func bounded(_ path: String) -> String {
        path.utf8.count <= pathBytes ? path : String(decoding: path.utf8.suffix(pathBytes), as: UTF8.self)
    }

    /// What came after an event, oldest first, as far as the ring still holds it.
    /// - Parameters:
    ///   - sequence: whatever a client says.
    ///   - limit: few at a time: the threads that serve file operations wait meanwhile.
    func entries(after sequence: UInt64, limit: Int = 256) -> [Entry] {
        state.withLock { state in
            guard sequence < state.newest else { return [] }
            let first = max(sequence + 1, state.oldest)
            let last = min(state.newest, first + UInt64(limit) - 1)
            return (first...last).map { state.entries[State.slot($0)] }
        }
    }

    /// The events of an app after `sequence` that the ring still holds, oldest first.
    func events(of app: String, after sequence: UInt64) -> [WatchedEvent] {
        var (last, found): (UInt64, [WatchedEvent]) = (sequence, [])
        while let entries = nonEmpty(entries(after: last)) {
            found += entries.lazy.map(\.event).filter { $0.app == app }
            last = entries.last?.event.sequence ?? last
        }
        return found
    }

    private func nonEmpty(_ entries: [Entry]) -> [Entry]? { entries.isEmpty ? nil : entries }

    /// Whether events after `sequence` have made room for others.
    func hasLost(after sequence: UInt64) -> Bool {
        state.withLock { sequence < $0.newest && sequence + 1 < $0.oldest }
    }

    /// The number of the newest event; 0 where there was none.
    var newestSequence: UInt64 { state.withLock { $0.newest } }

    /// Has `wakeUp` signalled once, by the next event.
    /// - Returns: false where there is one after `sequence` already: it is not signalled then.
    func wake(_ wakeUp: WakeUp, after sequence: UInt64) -> Bool {
        state.withLock { state in
            guard state.newest <= sequence else { return false }
            state.waiting = wakeUp
            return true
        }
    }

    /// Nobody waits any more.
    func stopWaking() { state.withLock { $0.waiting = nil } }
}

extension EventRing {
    /// Where somebody begins who wants what comes from now on.
    /// - Parameter app: nil: of all apps.
    func position(of app: String?) -> Position {
        state.withLock { state in
            let last = app.map { state.counts[$0] ?? 0 } ?? state.newest
            return Position(after: state.newest, next: last + 1)
        }
    }

    /// Where somebody begins who wants what came since a time.
    /// - Parameter seconds: since 1970.
    func position(of app: String?, since seconds: Double) -> Position {
        let now = position(of: app)
        var (last, oldest): (UInt64, EventRing.Entry?) = (0, nil)
        var found: Position?
        while found == nil, last < now.after, let entries = nonEmpty(entries(after: last)) {
            oldest = oldest ?? entries.first
            let first = entries.first {
                $0.event.time.seconds >= seconds && (app == nil || $0.event.app == app)
            }
            found = first.map { Position(after: $0.event.sequence - 1, next: $0.number(in: app)) }
            last = entries.last?.event.sequence ?? last
        }
        var position = found ?? now
        // What was before the first event that is known, and what another daemon has seen.
        let isWhole = oldest.map { $0.event.sequence == 1 } ?? true
        let known = isWhole ? began : oldest?.event.time ?? began
        if seconds < known.seconds { position.knownSince = known }
        return position
    }
}

extension EventRing.Entry {
    /// Its number for who wants that app's events, or those of all.
    func number(in app: String?) -> UInt64 { app == nil ? event.sequence : numberInApp }
}
