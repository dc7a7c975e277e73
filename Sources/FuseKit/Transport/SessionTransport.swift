internal import CFuse
internal import CLinux
internal import Posix
internal import Synchronization
internal import SystemPackage

/// All that serves one session: threads that read `/dev/fuse`, and the ring where the kernel offers one.
///
/// One reader starts alone. With the answer to INIT it is decided whether the ring takes over; then the
/// reader is left with what never comes through a ring (FORGET, INTERRUPT); else more readers join it.
final class SessionTransport: Sendable {
    private let state = Gate(State())
    private let initUnique = Atomic<UInt64>(0)
    private let initOffers = Atomic<UInt64>(0)
    /// Whether `state.ring` is there: spares a lock where it is not.
    private let hasRing = Atomic<Bool>(false)
    private let ringServes = Atomic<Bool>(false)

    /// Whether requests come through the ring: `/dev/fuse` has only FORGETs and INTERRUPTs then.
    var isOnRing: Bool { ringServes.load(ordering: .relaxed) }

    private struct State {
        var connection: Connection?
        var readers = ReaderThreads<JoinableThread>()
        var ring: Ring?
        /// Set once the kernel has the answer to INIT: the mount is usable.
        var report: TransportReport?
    }

    /// Starts serving.
    /// - Throws: EAGAIN where no thread can be made.
    func start(_ connection: Connection) throws(Errno) {
        state.update { $0.connection = connection }
        try addReader(connection)
    }

    private func addReader(_ connection: Connection) throws(Errno) {
        guard state.update({ $0.readers.begin() }) else { return }
        do throws(Errno) {
            let thread = try NativeThread(name: connection.core.options.name) {
                ClassicLoop(connection: connection).run()
                self.state.update { $0.readers.end() }
            }
            let joinable = JoinableThread(thread)
            state.update { $0.readers.list(joinable) }
        } catch {
            state.update { $0.readers.list(nil) }
            throw error
        }
    }

    /// The threads that read where there is no ring. Fewer than wanted serve as well.
    func addReaders(_ connection: Connection) {
        for _ in 1..<max(1, connection.core.options.readers) {
            guard (try? addReader(connection)) != nil else { return }
        }
    }

    // MARK: INIT

    func noteInit(_ request: RawRequest) {
        initOffers.store(request.initOffers, ordering: .relaxed)
        initUnique.store(request.unique, ordering: .releasing)
    }

    func isInit(_ unique: UInt64) -> Bool {
        unique != 0 && unique == initUnique.load(ordering: .acquiring)
    }

    /// Sends libfuse's answer to INIT with what libfuse does not know of, and starts what it promises.
    /// - Returns: the bytes written, or -errno.
    func answerInit(_ parts: UnsafeBufferPointer<iovec>, to descriptor: Int32) -> Int64 {
        let connection = state.update { $0.connection }
        // An answer that is an error has no second part.
        guard let connection, parts.count == 2, parts[1].iov_len == InitReply.bytes,
            let body = parts[1].iov_base
        else { return lx_writev(descriptor, parts.baseAddress, Int32(parts.count)) }
        let (ring, reason) = makeRing(connection)
        let passthrough = connection.core.passthrough
        InitReply.patch(
            .init(start: body, count: parts[1].iov_len), usesRing: ring != nil,
            usesPassthrough: passthrough.isWanted)
        let written = lx_writev(descriptor, parts.baseAddress, Int32(parts.count))
        initUnique.store(0, ordering: .releasing)
        guard written > 0 else {
            ring?.cancel()
            return written
        }
        passthrough.start(connection.core.fileSystem)
        state.update { state in
            state.ring = ring
            state.report = TransportReport(kind: ring == nil ? .classic : .ring, reason: reason)
        }
        hasRing.store(ring != nil, ordering: .releasing)
        ringServes.store(ring != nil, ordering: .relaxed)
        if let ring { ring.begin() } else { addReaders(connection) }
        return written
    }

    /// A ring that is ready to begin; else why there is none.
    private func makeRing(_ connection: Connection) -> (Ring?, reason: String?) {
        if connection.core.options.transport == .classic { return (nil, nil) }
        guard initOffers.load(ordering: .relaxed) & InitReply.ring != 0 else {
            return (nil, RingSupport.current.explanation)
        }
        do throws(Errno) {
            return (try Ring(connection) { self.ringWasRefused($0) }, nil)
        } catch {
            return (nil, "no ring could be made (\(error))")
        }
    }

    /// The kernel did not take the ring after all: everything comes through `/dev/fuse` again.
    func ringWasRefused(_ errno: Errno) {
        ringServes.store(false, ordering: .relaxed)
        let connection = state.update { state -> Connection? in
            guard state.report?.kind != .classic else { return nil }
            state.report = TransportReport(kind: .classic, reason: "the kernel refused the ring (\(errno))")
            return state.connection
        }
        if let connection { addReaders(connection) }
    }

    /// The ring's entry that holds a request which some other thread answers; nil where it came by
    /// `/dev/fuse`.
    func slot(holding unique: UInt64) -> RingSlot? {
        // A notification has no number.
        guard unique != 0, hasRing.load(ordering: .acquiring) else { return nil }
        return state.update { $0.ring }?.slot(holding: unique)
    }

    // MARK: Waiting

    var report: TransportReport? { state.update { $0.report } }

    /// - Returns: false after the timeout, or when the session ended first.
    func waitUntilReady(timeoutSeconds: Double) -> Bool {
        state.wait(timeoutSeconds: timeoutSeconds) { state -> Bool? in
            state.report != nil ? true : (state.readers.isIdle ? false : nil)
        } ?? false
    }

    /// Waits until the mount is gone and every thread that served it has ended.
    /// - Returns: false after the timeout.
    func waitUntilEnded(timeoutSeconds: Double?) -> Bool {
        // Found ended and closed in one step: no reader joins between the two.
        let last = state.wait(timeoutSeconds: timeoutSeconds) { state -> (Ring?, [JoinableThread])? in
            guard let threads = state.readers.close() else { return nil }
            state.connection = nil
            return (state.ring, threads)
        }
        guard let (ring, threads) = last else { return false }
        // It ends with the last answer, which finds its entry through the ring.
        ring?.waitUntilEnded()
        state.update { $0.ring = nil }
        for thread in threads { thread.join() }
        return true
    }
}
