internal import CFuse
internal import CLinux
internal import CRing
internal import Posix
internal import SystemPackage

/// One queue of the ring and the thread that serves it, on the CPU whose callers' requests come here.
///
/// Only this thread may touch the io_uring: other threads hand their answers over.
// Unchecked: `ring` and `liveCount` are the thread's own; the rest is fixed or locks for itself.
final class RingQueue: @unchecked Sendable {
    /// Entries of a queue: so many requests of one CPU are served or waited for at once.
    static let depth = 256
    private static let wakeTag = UInt64.max
    /// Beside a slot's number: its read of a file has ended, and not its command.
    private static let readTag: UInt64 = 1 << 32

    private let index: Int
    private let connection: Connection
    private let pool: RequestPool
    private let refused: @Sendable (Errno) -> Void
    private let memory: MappedBuffer
    private let places: UnsafeMutableBufferPointer<iovec>
    private let wakeUp: WakeUp
    private let phase = Gate(Phase.preparing)
    /// Slots whose answers other threads have written.
    private let handedOver = Lock<[RingSlot]>([])
    private var slots: [RingSlot] = []
    private var ring: OpaquePointer?
    private var liveCount = 0
    private var thread: JoinableThread?

    private enum Phase {
        case preparing, prepared, begun, cancelled
        case failed(Errno)
    }

    /// Starts the thread, which prepares the ring and waits for `begin`.
    init(
        index: Int, _ connection: Connection, _ pool: RequestPool,
        refused: @escaping @Sendable (Errno) -> Void
    ) throws(Errno) {
        guard let memory = MappedBuffer(count: RingQueue.depth * RingSlot.strideBytes),
            let start = memory.bytes.baseAddress
        else { throw .noMemory }
        self.index = index
        self.connection = connection
        self.pool = pool
        self.refused = refused
        self.memory = memory
        wakeUp = try WakeUp()
        places = .allocate(capacity: 2 * RingQueue.depth)
        handedOver.withLock { $0.reserveCapacity(RingQueue.depth) }
        slots = (0..<RingQueue.depth).map {
            RingSlot(index: $0, queue: self, memory: start + $0 * RingSlot.strideBytes)
        }
        thread = JoinableThread(
            try NativeThread(name: "\(connection.core.options.name)/\(index)") { self.run() })
    }

    deinit { places.deallocate() }

    // MARK: From the session

    /// - Throws: what making the io_uring failed with.
    func waitUntilPrepared() throws(Errno) {
        let outcome = phase.wait { phase -> Phase? in
            if case .preparing = phase { nil } else { phase }
        }
        if case .failed(let errno) = outcome { throw errno }
    }

    func begin() { phase.update { $0 = .begun } }

    func cancel() {
        phase.update { $0 = .cancelled }
        waitUntilEnded()
    }

    func waitUntilEnded() {
        thread?.join()
        thread = nil
    }

    /// From any thread: for an answer that the entry's own thread does not give. A few hundred comparisons,
    /// for requests that waited for something slow.
    func slot(holding unique: UInt64) -> RingSlot? { slots.first { $0.unique == unique } }

    // MARK: The thread

    private func run() {
        // Not permitted where the process may not use that CPU: then it serves from another one.
        _ = lx_pin_to_cpu(UInt32(index))
        guard let worker = Worker(of: self) else { return fail(.noMemory) }
        let failure = fuse_ring_open(UInt32(RingQueue.depth), connection.descriptor, &ring)
        guard failure == 0 else { return fail(Errno(rawValue: -failure)) }
        defer { fuse_ring_close(ring) }
        phase.update { if case .preparing = $0 { $0 = .prepared } }
        let begins = phase.wait { phase -> Bool? in
            switch phase {
            case .begun: true
            case .cancelled: false
            default: nil
            }
        }
        if begins == true { worker.run(serve) }
    }

    private func fail(_ errno: Errno) {
        phase.update { if case .preparing = $0 { $0 = .failed(errno) } }
    }

    private func serve(_ worker: Worker) {
        _ = fuse_ring_watch(ring, wakeUp.raw, RingQueue.wakeTag)
        for slot in slots { register(slot) }
        // Each entry ends with an error once the mount is gone; those that are held, when they are answered.
        while liveCount > 0 {
            let result = fuse_ring_wait(ring)
            if result < 0, !RingQueue.isTransient(Errno(rawValue: -result)) { break }
            var tag: UInt64 = 0
            var outcome: Int32 = 0
            while fuse_ring_next(ring, &tag, &outcome) == 1 { take(tag, outcome, worker) }
        }
    }

    /// Whether a failed wait is to be tried again.
    private static func isTransient(_ errno: Errno) -> Bool {
        errno == .interrupted || errno == .resourceTemporarilyUnavailable || errno == .resourceBusy
    }

    private func register(_ slot: RingSlot) {
        let pair = places.baseAddress.unsafelyUnwrapped + 2 * slot.index
        pair[0] = iovec(iov_base: slot.header, iov_len: RingSlot.headerBytes)
        pair[1] = iovec(iov_base: slot.payload.baseAddress, iov_len: slot.payload.count)
        if fuse_ring_register(ring, UInt16(index), pair, UInt64(slot.index)) == 0 { liveCount += 1 }
    }

    private func take(_ tag: UInt64, _ outcome: Int32, _ worker: Worker) {
        if tag == RingQueue.wakeTag { return takeOver() }
        if tag & RingQueue.readTag != 0 {
            return goOn(slots[Int(tag & ~RingQueue.readTag)], outcome, worker)
        }
        guard outcome >= 0 else {
            liveCount -= 1
            let errno = Errno(rawValue: -outcome)
            // The mount is gone; else the kernel goes on without a ring.
            let isGone = errno == .socketNotConnected || errno == .canceled
            if !isGone && !slots[Int(tag)].isInUse { refused(errno) }
            return
        }
        serve(slots[Int(tag)], worker)
    }

    private func serve(_ slot: RingSlot, _ worker: Worker) {
        let opcode = slot.assemble()
        connection.core.counters.count(opcode: opcode)
        if RequestPool.mayWait(opcode, slot, connection.core), pool.add(slot) { return }
        slot.serve(connection, worker)
        // A slot that was answered is the kernel's again, and holds no read.
        if let read = slot.diskRead { start(read, slot, worker) }
    }

    /// Has the kernel read while this thread serves others.
    private func start(_ read: DiskRead, _ slot: RingSlot, _ worker: Worker) {
        let room = read.room(in: slot)
        let isQueued = fuse_ring_read(
            ring, read.descriptor, room.baseAddress, UInt32(room.count), UInt64(read.position),
            UInt64(slot.index) | RingQueue.readTag)
        if isQueued != 0 { goOn(slot, -Errno.canceled.rawValue, worker) }
    }

    /// - Parameter outcome: what a piece of the slot's read has given.
    private func goOn(_ slot: RingSlot, _ outcome: Int32, _ worker: Worker) {
        guard var read = slot.diskRead else { return }
        if read.take(read.outcome(of: outcome, into: read.room(in: slot))) {
            slot.diskRead = read
            start(read, slot, worker)
        } else {
            slot.diskRead = nil
            read.answer(slot, worker)
        }
    }

    // MARK: Answers

    /// Gives an answered slot back to the kernel; on this queue's own thread at once.
    func commit(_ slot: RingSlot) {
        if Worker.current?.queue === self {
            send(slot)
        } else {
            handedOver.withLock { $0.append(slot) }
            wakeUp.signal()
        }
    }

    private func send(_ slot: RingSlot) {
        if fuse_ring_commit(ring, UInt16(index), slot.unique, UInt64(slot.index)) != 0 { liveCount -= 1 }
    }

    /// Hands over now what the next wait would. On this queue's own thread.
    func sendAnswers() { fuse_ring_send(ring) }

    private func takeOver() {
        wakeUp.clear()
        let answered = handedOver.withLock { waiting -> [RingSlot] in
            defer { waiting.removeAll(keepingCapacity: true) }
            return waiting
        }
        for slot in answered { send(slot) }
        _ = fuse_ring_watch(ring, wakeUp.raw, RingQueue.wakeTag)
    }
}
