internal import CFuse
public import Posix
public import SystemPackage

/// How a session is served.
public struct SessionOptions: Sendable {
    public enum Locks: Sendable {
        /// fcntl and flock locks are kept by the kernel, for this mount alone.
        case kernel
        /// Every lock is refused with ENOLCK: another mount of the same tree holds the real ones.
        case refused
    }
    public var locks: Locks = .kernel
    public var transport = TransportChoice.auto
    /// Threads that read `/dev/fuse` where there is no ring.
    /// More than two: a thread that has slept long wakes on the CPU that is free (measured on two CPUs).
    public var readers = 4
    /// Whether the user and group ids in requests are those of the callers. A user who mounts without root's
    /// help may do so in a user namespace of his own, where he can have any id. If this is false, everything
    /// is done with this process's rights on files, and for its user. Nor are numbers of nodes and handles
    /// believed: he may answer requests in this process's place.
    public let believesCallers: Bool
    /// How contents travel.
    public var data: DataPath = .auto
    /// For thread names and logs.
    public var name = "apphome"

    public init(believesCallers: Bool) { self.believesCallers = believesCallers }
}

/// One mounted file system: libfuse's session, the threads that serve it, and what the kernel was told.
// Unchecked: `session` is libfuse's, which is thread-safe for replies and notifications; it is destroyed
// once, by `waitUntilEnded`, after the threads that use it were joined. `isEnded` is touched
// only by `waitUntilEnded`, which one owner calls.
public final class Session: @unchecked Sendable {
    let core: SessionCore
    let session: OpaquePointer
    private let notifier: Notifier
    /// Of its own: look-ups wait for what it sends, and what the other one sends may wait for look-ups.
    private let expirer: Notifier
    private var isEnded = false
    private let descriptor: Int32

    /// - Parameter device: an open `/dev/fuse` that is mounted already; the session closes it at its end.
    /// - Throws: ENOMEM or EINVAL where libfuse refuses.
    public init(
        fileSystem: any FileSystem, device: consuming Descriptor, options: SessionOptions
    ) throws(Errno) {
        core = SessionCore(fileSystem: fileSystem, options: options)
        guard let session = makeSession(core) else { throw .noMemory }
        var io = fuse_custom_io()
        io.read = transportRead
        io.writev = transportWrite
        io.splice_send = transportSplice
        let raw = device.raw
        core.passthrough.attach(raw)
        guard fuse_session_custom_io(session, &io, raw) == 0 else {
            fuse_session_destroy(session)
            throw .invalidArgument
        }
        // From here on libfuse closes the descriptor.
        _ = device.release()
        self.session = session
        descriptor = raw
        notifier = Notifier(session: session, core: core, descriptor: raw)
        expirer = Notifier(session: session, core: core, descriptor: raw)
    }

    /// Starts to serve requests.
    /// - Throws: EAGAIN where not even one thread can be made; the session has then ended, and its mount with
    ///   it.
    public func start() throws(Errno) {
        do throws(Errno) {
            try core.transport.start(Connection(session: session, descriptor: descriptor, core: core))
        } catch {
            waitUntilEnded()
            throw error
        }
    }

    /// Waits until the kernel has taken the answer to INIT.
    /// - Returns: false after the timeout, or when the session ended first.
    public func waitUntilReady(timeoutSeconds: Double) -> Bool {
        core.transport.waitUntilReady(timeoutSeconds: timeoutSeconds)
    }

    /// How requests come; nil before the session is ready.
    public var transport: TransportReport? { core.transport.report }

    /// Waits until the mount is gone, ends the threads, and gives every reference back to the file system.
    /// - Returns: false after the timeout (nil: none), with the session still running.
    @discardableResult
    public func waitUntilEnded(timeoutSeconds: Double? = nil) -> Bool {
        guard core.transport.waitUntilEnded(timeoutSeconds: timeoutSeconds) else { return false }
        if isEnded { return true }
        isEnded = true
        _ = core.heldReplies.wait { $0 == 0 ? true : nil }
        notifier.stop()
        expirer.stop()
        core.drain()
        fuse_session_destroy(session)
        return true
    }

    public var counters: RequestCounters { core.counters }

    /// Why contents do not pass through the kernel; nil where they do. Known once the session is ready.
    public var passthroughRefusal: PassthroughRefusal? { core.passthrough.refusal }

    /// Tells the kernel to forget what it cached. Returns at once; never blocks on a request.
    public func invalidate(_ invalidation: Invalidation) { notifier.send([invalidation]) }

    /// Has the kernel look up names in a directory before it uses them again. Returns at once.
    /// - Parameter whenSent: called on another thread once the kernel knows, or cannot be told.
    public func expire(
        _ names: [[UInt8]], in directory: NodeKey, whenSent: @escaping @Sendable () -> Void
    ) {
        let expiries = names.map { Invalidation.lookup(name: $0, directory: directory) }
        expirer.send(expiries, whenSent: whenSent)
        // Once more, for an answer from before that a program takes only now: it makes the kernel believe
        // again.
        expirer.send(expiries, afterSeconds: Self.secondExpirySeconds)
    }

    private static let secondExpirySeconds = 0.05

    /// What tells this session's kernel of changed attributes.
    /// - Parameter device: another descriptor of the session's `/dev/fuse`: this may outlive the session.
    public func attributeNotices(through device: consuming Descriptor) -> AttributeNotices {
        AttributeNotices(device, core.nodes)
    }

    /// Waits until the kernel has taken every invalidation so far. Answers of the calling thread go first:
    /// the kernel may take an invalidation only after whoever waits for such an answer.
    /// - Returns: false after the timeout.
    @discardableResult
    public func waitForInvalidations(timeoutSeconds: Double) -> Bool {
        Worker.current?.queue?.sendAnswers()
        return notifier.waitUntilSent(timeoutSeconds: timeoutSeconds)
    }
}

/// The libfuse session of `core`; nil where there is no memory.
private func makeSession(_ core: SessionCore) -> OpaquePointer? {
    var operations = lowLevelOperations(locks: core.options.locks)
    return "apphome".withCString { name in
        var arguments: [UnsafeMutablePointer<CChar>?] = [UnsafeMutablePointer(mutating: name), nil]
        return arguments.withUnsafeMutableBufferPointer { argv in
            var args = fuse_args(argc: 1, argv: argv.baseAddress, allocated: 0)
            // Parsing puts a copy in its place.
            defer { fuse_opt_free_args(&args) }
            return fuse_session_new(
                &args, &operations, MemoryLayout<fuse_lowlevel_ops>.size,
                Unmanaged.passUnretained(core).toOpaque())
        }
    }
}
