internal import CloudStore
internal import CloudSync
internal import StoreBasics
internal import SyncContent

/// A device's way to the store, with all that goes wrong on it.
///
/// A request that was sent is the network's: it arrives whatever becomes of its sender. Its answer reaches
/// the sender's life only while that goes on.
// Unchecked: see WorldExecutor.
final class StoreClient: ObjectStore, @unchecked Sendable {
    struct Way {
        var faults = StoreFaults.none
        /// This device has no network.
        var isOffline = false
        /// Seconds that its machine's clock is ahead of the store's, where machines date what they write.
        var clockOffset: Int64 = 0
    }

    private let store: SharedStore
    private let timeline: Timeline
    private let life: Life
    private let trace: Trace
    private var random: WorldRandom
    /// Shared by all lives of the device, for the world to change.
    private let way: () -> Way
    private(set) var requests = 0
    /// Told of the bytes of each write before it leaves.
    var willSend: ([UInt8]) -> Void = { _ in }
    /// Told of each request before it leaves; it may end this life, or let it sleep, and then the request
    /// leaves when that is over.
    var willAsk: (RequestKind, String) -> Void = { _, _ in }
    let traits: StoreTraits

    init(
        _ store: SharedStore, _ timeline: Timeline, life: Life, trace: Trace, random: WorldRandom,
        clockIsOurs: Bool, way: @escaping () -> Way
    ) {
        self.store = store
        self.timeline = timeline
        self.life = life
        self.trace = trace
        self.random = random
        self.way = way
        traits = StoreTraits(clockIsOurs: clockIsOurs, parallelRequests: 4)
    }

    func putIfAbsent(_ bytes: [UInt8], at key: ObjectKey) async throws(StoreError) -> Dated<PutOutcome> {
        let store = store
        willSend(bytes)
        return try await request(.putIfAbsent, key.text, Trace.fingerprint(bytes)) {
            [self] () throws(StoreError) in try store.putIfAbsent(bytes, at: key, dated: dateOfFile)
        }
    }

    func put(_ bytes: [UInt8], at key: ObjectKey) async throws(StoreError) -> Dated<Void> {
        let store = store
        willSend(bytes)
        return try await request(.put, key.text, Trace.fingerprint(bytes)) {
            [self] () throws(StoreError) in try store.put(bytes, at: key, dated: dateOfFile)
        }
    }

    func get(_ key: ObjectKey, range: Range<UInt64>?) async throws(StoreError) -> Dated<StoredObject?> {
        let store = store
        let answer = try await request(.get, key.text, range?.lowerBound ?? 0) {
            () throws(StoreError) in try store.get(key, range: range)
        }
        guard wrongBytesAreDue, let object = answer.value, !object.bytes.isEmpty else { return answer }
        wrongBytesAreDue = false
        // Of what is not named by its hash the transport's checksum tells.
        guard key.text.hasPrefix(StoreLayout.chunkPrefix) || key.text.hasPrefix(StoreLayout.packPrefix) else {
            throw .invalidAnswer("checksum")
        }
        var bytes = object.bytes
        bytes[random.below(bytes.count)] ^= 0x20
        return Dated(StoredObject(bytes: bytes, lastModified: object.lastModified), at: answer.date)
    }

    func head(_ key: ObjectKey) async throws(StoreError) -> Dated<ObjectInfo?> {
        let store = store
        return try await request(.head, key.text, 0) { () throws(StoreError) in store.head(key) }
    }

    func list(_ prefix: String, after: ObjectKey?, limit: Int) async throws(StoreError)
        -> Dated<ObjectListing>
    {
        let store = store
        let age = way().faults.listingAge(&random)
        return try await request(.list, prefix, 0) {
            () throws(StoreError) in store.list(prefix, after: after, limit: limit, age: age)
        }
    }

    func delete(_ key: ObjectKey) async throws(StoreError) -> Dated<Void> {
        let store = store
        return try await request(.delete, key.text, 0) { () throws(StoreError) in store.delete(key) }
    }

    // MARK: Dates, as DirectoryStore has them

    /// Between which times answers are dated, and the timeline's moment when that was said.
    private var bounds: (range: ClosedRange<StoreTime>, since: UInt64)?

    func keepDates(in range: ClosedRange<StoreTime>) { bounds = (range, timeline.now) }

    func ownTime() async -> StoreTime? { traits.clockIsOurs ? machineTime : nil }

    private var machineTime: StoreTime { store.date.adding(seconds: way().clockOffset) }

    private var date: StoreTime {
        guard traits.clockIsOurs, let bounds else { return traits.clockIsOurs ? machineTime : store.date }
        let passed = Int64((timeline.now - bounds.since) / Plan.second)
        let high = bounds.range.upperBound.adding(seconds: passed)
        return min(max(machineTime, bounds.range.lowerBound.adding(seconds: passed)), high)
    }

    private var dateOfFile: StoreTime { traits.clockIsOurs ? max(machineTime, date) : store.date }

    private var wrongBytesAreDue = false

    /// Sends a request on its way and waits for what comes of it.
    private func request<Value: Sendable>(
        _ kind: RequestKind, _ subject: String, _ mark: UInt64,
        _ perform: @escaping () throws(StoreError) -> Value
    ) async throws(StoreError) -> Dated<Value> {
        if life.hasEnded || Task.isCancelled { throw .cancelled }
        willAsk(kind, subject)
        if life.isSuspended {
            let waiter = Waiter<Bool>()
            timeline.schedule(in: 0, for: life) { waiter.answer(true) }
            _ = await waiter.wait(in: life, otherwise: false)
        }
        if life.hasEnded { throw .cancelled }
        requests += 1
        let way = way()
        let fate = way.faults.fate(of: kind, &random)
        note("ask", subject, mark, "\(kind) \(fate)")
        let waiter = Waiter<Result<Dated<Value>, StoreError>>()
        if way.isOffline {
            answer(waiter, .failure(.unreachable("no network")), in: 1_000_000)
        } else {
            send(fate, waiter, perform)
        }
        let result = await waiter.wait(in: life, otherwise: .failure(.cancelled))
        if case .wrongBytes = fate { wrongBytesAreDue = true }
        noteAnswer(result, subject)
        return try result.get()
    }

    private func send<Value: Sendable>(
        _ fate: Fate, _ waiter: Waiter<Result<Dated<Value>, StoreError>>,
        _ perform: @escaping () throws(StoreError) -> Value
    ) {
        let store = store
        let there = random.nanoseconds(in: 1_000_000..<60_000_000)
        let back = random.nanoseconds(in: 1_000_000..<60_000_000)
        let timeout: UInt64 = 10_000_000_000
        let unknown = Result<Dated<Value>, StoreError>.failure(.unknownOutcome("no answer"))
        let arrive = { [self] () -> Result<Dated<Value>, StoreError> in
            if store.isAway || life.isCutOff { return unknown }
            do throws(StoreError) {
                return .success(Dated(try perform(), at: date))
            } catch {
                return .failure(error)
            }
        }
        switch fate {
        case .requestLost:
            answer(waiter, unknown, in: timeout)
        case .replyLost:
            timeline.schedule(in: there) { _ = arrive() }
            answer(waiter, unknown, in: timeout)
        case .late(let delay):
            timeline.schedule(in: timeout + delay) { _ = arrive() }
            answer(waiter, unknown, in: timeout)
        case .twice:
            timeline.schedule(in: there) { _ = arrive() }
            deliver(waiter, arrive, there: there + 1_000_000, back)
        case .undecided:
            answer(waiter, .failure(.undecided), in: there + back)
        case .skewed:
            answer(waiter, .failure(.clockSkewed(store.date)), in: there + back)
        case .unavailable:
            answer(waiter, .failure(.unknownOutcome("503")), in: there + back)
        case .answered, .wrongBytes:
            deliver(waiter, arrive, there: there, back)
        }
    }

    /// A request leaves when its sender runs: one that is suspended before it could sends it 40 days later.
    private func deliver<Value: Sendable>(
        _ waiter: Waiter<Result<Dated<Value>, StoreError>>,
        _ arrive: @escaping () -> Result<Dated<Value>, StoreError>, there: UInt64, _ back: UInt64
    ) {
        let leavesLate = random.chance(perMille: 300)
        timeline.schedule(in: there, for: leavesLate ? life : nil) { [timeline, life] in
            let result = arrive()
            timeline.schedule(in: back, for: life) { waiter.answer(result) }
        }
    }

    private func answer<Value: Sendable>(
        _ waiter: Waiter<Result<Dated<Value>, StoreError>>, _ result: Result<Dated<Value>, StoreError>,
        in delay: UInt64
    ) {
        timeline.schedule(in: delay, for: life) { waiter.answer(result) }
    }

    private func note(_ kind: StaticString, _ subject: String, _ mark: UInt64, _ text: String) {
        trace.note(
            kind, UInt64(life.device), Trace.fingerprint(subject.utf8), mark,
            line: "device \(life.device) \(text) \(subject)")
    }

    private func noteAnswer<Value>(_ result: Result<Dated<Value>, StoreError>, _ subject: String) {
        switch result {
        case .success(let answer):
            note("got", subject, UInt64(bitPattern: answer.date.seconds), "")
        case .failure(let error):
            note("refused", subject, Trace.fingerprint("\(error)".utf8), "\(error)")
        }
    }
}
