internal import Posix
internal import Wire

/// The watchers and what they are sent: what the thread has that fans events out.
struct FanOutPass {
    static let wakeUpToken: UInt64 = 0

    /// The last event that the streams have.
    private(set) var newest: UInt64 = 0
    private let ring: EventRing
    private let poller: Poller
    /// By the app that is watched; nil: all. One is there as long as it has watchers.
    private var streams: [String?: EventStream] = [:]
    private var watchers: [Watcher] = []
    private var byToken: [UInt64: Watcher] = [:]
    /// Whose turn it is first.
    private var turn = 0
    private var lastToken = Self.wakeUpToken
    private var encoder = EventEncoder()

    init(ring: EventRing, poller: Poller) {
        self.ring = ring
        self.poller = poller
    }

    mutating func add(_ socket: SharedDescriptor, app: String?, at position: EventRing.Position) {
        let stream = streams[app] ?? EventStream(app: app)
        streams[app] = stream
        stream.watchers += 1
        lastToken += 1
        let watcher = Watcher(
            socket, token: lastToken, stream: stream, at: position,
            greeting: (try? Frame(Answer.watching(knownSince: position.knownSince)))?.encoded ?? [])
        watchers.append(watcher)
        byToken[watcher.token] = watcher
        do { try poller.add(watcher.raw, token: watcher.token) } catch { watcher.leave() }
    }

    /// Sends what there is to those who take it.
    /// - Parameter mayGoOn: asked after each watcher.
    /// - Returns: false where some were not reached.
    mutating func run(while mayGoOn: () -> Bool) -> Bool {
        look()
        takeIn()
        let count = watchers.count
        for step in 0..<count {
            let watcher = watchers[(turn + step) % count]
            guard watcher.isBehind else { continue }
            watcher.serve(ring, newest: newest, &encoder)
            if watcher.state == .blocked { setWaiting(watcher, true) }
            guard mayGoOn() else {
                turn = (turn + step + 1) % count
                return false
            }
        }
        return !watchers.contains(where: \.isBehind)
    }

    /// Forgets those that are gone, and closes their sockets.
    /// - Returns: how many they were.
    mutating func removeLeft() -> Int {
        let gone = watchers.filter { $0.state == .gone }
        guard !gone.isEmpty else { return 0 }
        watchers.removeAll { $0.state == .gone }
        turn = 0
        for watcher in gone {
            poller.remove(watcher.raw)
            byToken[watcher.token] = nil
            watcher.stream.watchers -= 1
            if watcher.stream.watchers == 0 { streams[watcher.stream.app] = nil }
        }
        return gone.count
    }

    /// Asks which of them take more, and which are gone.
    private func look() {
        while let ready = try? poller.wait(until: Deadline(seconds: 0)), !ready.isEmpty {
            let known = ready.compactMap { entry in byToken[entry.token].map { (entry, $0) } }
            for (entry, watcher) in known {
                if entry.isReadable {
                    // A watching client says nothing more: it hung up, or it is none.
                    watcher.leave()
                    poller.remove(watcher.raw)
                } else {
                    watcher.becameWritable()
                    setWaiting(watcher, false)
                }
            }
            // Each of these is told once; the thread's own wake-up is told until it is cleared.
            if known.isEmpty { return }
        }
    }

    private func setWaiting(_ watcher: Watcher, _ waits: Bool) {
        do { try poller.set(watcher.raw, token: watcher.token, waitsForWriting: waits) } catch {
            watcher.leave()
        }
    }

    /// Puts new events into the streams: each is encoded once.
    private mutating func takeIn() {
        guard !streams.isEmpty else {
            newest = ring.newestSequence
            return
        }
        while true {
            let entries = ring.entries(after: newest)
            guard let last = entries.last else { return }
            var frame: [UInt8] = []
            for entry in entries {
                let wanting = [streams[nil], streams[entry.event.app]].compactMap { $0 }
                guard !wanting.isEmpty else { continue }
                frame.removeAll(keepingCapacity: true)
                encoder.append(entry.event, to: &frame)
                for stream in wanting { stream.append(entry, frame[...]) }
            }
            newest = last.event.sequence
        }
    }
}
