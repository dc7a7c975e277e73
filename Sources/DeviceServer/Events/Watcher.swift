internal import CLinux
internal import Posix
internal import SystemPackage
internal import Wire

/// The frames that all watchers of one app are sent, or all of every app's.
final class EventStream {
    /// Nil: of all.
    let app: String?
    var run = FrameRun()
    var watchers = 0
    /// So much is kept for those that lag: more than a socket takes at once.
    static let bytes = 256 << 10

    init(app: String?) { self.app = app }

    /// Adds an event, and before it one frame for all that are missing.
    func append(_ entry: EventRing.Entry, _ frame: ArraySlice<UInt8>) {
        let number = entry.number(in: app)
        if let next = run.next, next < number {
            run.append(numbers: next...number - 1, sequence: entry.event.sequence - 1) {
                $0 += Watcher.dropped(number - next)
            }
        }
        run.append(numbers: number...number, sequence: entry.event.sequence) { $0 += frame }
        run.trim(toBytes: Self.bytes)
    }
}

/// A client that watches: its socket, and how far it is. Used by the thread that fans events out.
///
/// A frame that was begun is finished before anything else is sent; more than that is kept for nobody.
final class Watcher {
    enum State {
        case ready
        /// It takes nothing now: wait until its socket is writable.
        case blocked
        case gone
    }

    let token: UInt64
    let stream: EventStream
    /// Where it reads the ring itself until it has caught up with its stream; nil: it has.
    private(set) var backlog: UInt64?
    private(set) var state = State.ready
    private let socket: SharedDescriptor
    /// Of a frame.
    private var rest: ArraySlice<UInt8>
    /// The number of the event that it is told next.
    private var next: UInt64

    /// What the kernel keeps for one that does not read: little, for there may be many.
    private static let bufferBytes: Int32 = 32 << 10

    /// - Parameter greeting: sent before all else.
    init(
        _ socket: SharedDescriptor, token: UInt64, stream: EventStream, at position: EventRing.Position,
        greeting: [UInt8]
    ) {
        // Where it cannot be set it is larger.
        _ = lx_set_send_buffer(socket.raw, Self.bufferBytes)
        self.socket = socket
        self.token = token
        self.stream = stream
        backlog = position.after
        next = position.next
        rest = greeting[...]
    }

    /// What to wait for.
    var raw: Int32 { socket.raw }

    /// Whether there is something that it could be sent now.
    var isBehind: Bool {
        state == .ready && (!rest.isEmpty || backlog != nil || stream.run.next.map { $0 > next } ?? false)
    }

    func becameWritable() { state = .ready }

    func leave() { state = .gone }

    /// Sends what it lacks, as far as it takes it now.
    /// - Parameters:
    ///   - ring: read by who has not caught up with its stream, a part each time.
    ///   - newest: the last event that the streams have.
    func serve(_ ring: EventRing, newest: UInt64, _ encoder: inout EventEncoder) {
        finishFrame()
        if state == .ready, let after = backlog {
            catchUp(ring, after: after, newest: newest, &encoder)
        }
        if state == .ready, backlog == nil { send(stream.run) }
    }

    private func catchUp(
        _ ring: EventRing, after: UInt64, newest: UInt64, _ encoder: inout EventEncoder
    ) {
        let entries = ring.entries(after: after)
        guard after < newest, let last = entries.last else {
            backlog = nil
            return
        }
        var run = FrameRun()
        for entry in entries where stream.app == nil || entry.event.app == stream.app {
            let number = entry.number(in: stream.app)
            run.append(numbers: number...number, sequence: entry.event.sequence) {
                encoder.append(entry.event, to: &$0)
            }
        }
        let sent = send(run)
        backlog = sent ?? last.event.sequence
    }

    /// Sends the part of a run that it lacks.
    /// - Returns: the last event that it was told, where that is not all.
    @discardableResult
    private func send(_ run: FrameRun) -> UInt64? {
        guard let first = run.firstIndex(from: next) else { return nil }
        let missing = run.items[first].numbers.lowerBound
        if missing > next {
            rest = Self.dropped(missing - next)[...]
            next = missing
            finishFrame()
        }
        guard state == .ready else { return run.sequence(before: first) }
        let start = run.start(of: first)
        let end = start + take(run.bytes[start...])
        guard let last = run.index(ofByte: end) else {
            next = run.next ?? next
            return nil
        }
        guard run.start(of: last) < end else {
            next = run.items[last].numbers.lowerBound
            return run.sequence(before: last)
        }
        rest = ArraySlice(Array(run.bytes[end..<run.items[last].end]))
        next = run.items[last].numbers.upperBound + 1
        return run.items[last].sequence
    }

    private func finishFrame() { rest = rest.dropFirst(take(rest)) }

    /// Sends without waiting.
    /// - Returns: how many of the bytes it took; where that is not all, it is blocked or gone.
    private func take(_ bytes: ArraySlice<UInt8>) -> Int {
        var done = 0
        while state == .ready, done < bytes.count {
            let sent = bytes.withUnsafeBytes {
                lx_send(socket.raw, $0.baseAddress.map { $0 + done }, UInt64($0.count - done), nil, 0)
            }
            switch Errno(rawValue: Int32(clamping: -min(sent, 0))) {
            case Errno(rawValue: 0): done += Int(sent)
            case .interrupted: continue
            case .resourceTemporarilyUnavailable, .noBufferSpace, .noMemory: state = .blocked
            default: state = .gone
            }
        }
        return done
    }

    /// The frame that stands for events that were not sent.
    fileprivate static func dropped(_ count: UInt64) -> [UInt8] {
        (try? Frame(Answer.dropped(count: count)))?.encoded ?? []
    }
}

extension FrameRun {
    /// The event before an item, among all; of the first nobody knows whether it is one that is wanted.
    fileprivate func sequence(before index: Int) -> UInt64 {
        index == 0 ? items[0].sequence - 1 : items[index - 1].sequence
    }
}
