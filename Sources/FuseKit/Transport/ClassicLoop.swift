internal import CFuse
internal import CLinux
internal import Posix
internal import Synchronization

/// The classic transport: a thread that reads requests from `/dev/fuse` and has libfuse decode them.
// Unchecked: `session` is libfuse's own, thread-safe for this use; `Session` keeps it until the loop ended.
final class ClassicLoop: @unchecked Sendable {
    private let session: OpaquePointer
    private let core: SessionCore
    private let descriptor: Int32

    init(session: OpaquePointer, core: SessionCore, descriptor: Int32) {
        self.session = session
        self.core = core
        self.descriptor = descriptor
    }

    /// Serves until the mount is gone.
    func run() {
        if let worker = Worker() { worker.run(serve) }
        core.state.update { $0.workersLeft -= 1 }
    }

    private func serve(_ worker: Worker) {
        var buffer = fuse_buf()
        buffer.mem = worker.request.baseAddress
        while fuse_session_exited(session) == 0 {
            let count = lx_read(descriptor, worker.request.baseAddress, UInt64(worker.request.count))
            // ENOENT: the caller gave up first. EINTR, EAGAIN: nothing yet. Anything else: unmounted.
            if count == -2 || count == -4 || count == -11 { continue }
            if count <= 0 { break }
            buffer.size = Int(count)
            let request = RawRequest(UnsafeRawBufferPointer(worker.request))
            core.counters.count(opcode: request.opcode)
            if request.opcode == FUSE_INIT.rawValue {
                core.passthrough.noteOffer(request.offersPassthrough)
                core.initUnique.store(request.unique, ordering: .releasing)
            }
            fuse_session_process_buf(session, &buffer)
        }
        fuse_session_exit(session)
    }
}

// libfuse's own reads and writes of the session's descriptor come through these; `userdata` is the core.

func transportRead(
    _ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ size: Int, _ userdata: UnsafeMutableRawPointer?
) -> Int {
    posixResult(lx_read(descriptor, buffer, UInt64(size)))
}

func transportWrite(
    _ descriptor: Int32, _ parts: UnsafeMutablePointer<iovec>?, _ count: Int32,
    _ userdata: UnsafeMutableRawPointer?
) -> Int {
    guard let core = SessionCore.of(userdata), let parts, isInitReply(parts, count, core) else {
        return posixResult(lx_writev(descriptor, parts, count))
    }
    if let reply = parts[1].iov_base {
        InitReply.patch(
            UnsafeMutableRawBufferPointer(start: reply, count: parts[1].iov_len),
            passthrough: core.passthrough.isWanted)
    }
    let written = posixResult(lx_writev(descriptor, parts, count))
    if written > 0 {
        core.passthrough.start(core.fileSystem)
        core.state.update { $0.isReady = true }
    }
    return written
}

func transportSplice(
    _ source: Int32, _ sourceOffset: UnsafeMutablePointer<Int>?, _ target: Int32,
    _ targetOffset: UnsafeMutablePointer<Int>?, _ size: Int, _ flags: UInt32,
    _ userdata: UnsafeMutableRawPointer?
) -> Int {
    posixResult(lx_splice(source, target, UInt64(size), flags))
}

private func isInitReply(_ parts: UnsafeMutablePointer<iovec>, _ count: Int32, _ core: SessionCore) -> Bool {
    guard count == 2, parts[1].iov_len == InitReply.bytes, let header = parts[0].iov_base else {
        return false
    }
    let unique = header.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    return unique != 0 && unique == core.initUnique.load(ordering: .acquiring)
}

/// A result of at least 0, or -1 with errno set, as libfuse expects of read, writev and splice.
private func posixResult(_ result: Int64) -> Int {
    if result >= 0 { return Int(result) }
    lx_set_errno(Int32(-result))
    return -1
}
