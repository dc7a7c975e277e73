internal import CFuse
internal import CLinux

/// A thread that reads requests from `/dev/fuse`.
struct ClassicLoop: Sendable {
    let connection: Connection

    /// libfuse wants at least this much beside the largest write.
    private static let headerBytes = 4096

    /// Serves until the mount is gone.
    func run() {
        let bytes = ClassicLoop.headerBytes + Worker.payloadBytes
        guard let buffer = MappedBuffer(count: bytes), let worker = Worker() else { return }
        worker.run { serve($0, buffer.bytes) }
    }

    private func serve(_ worker: Worker, _ buffer: UnsafeMutableRawBufferPointer) {
        guard let start = buffer.baseAddress else { return }
        while fuse_session_exited(connection.session) == 0 {
            let count = lx_read(connection.descriptor, start, UInt64(buffer.count))
            // ENOENT: the caller gave up first. EINTR, EAGAIN: nothing yet. Anything else: unmounted.
            if count == -2 || count == -4 { continue }
            if count == -11 {
                // Whoever opened the device can have it not wait.
                var descriptor = connection.descriptor
                _ = lx_wait(&descriptor, 1, 0, -1)
                continue
            }
            if count <= 0 { break }
            let request = RawRequest(start)
            connection.core.counters.count(opcode: request.opcode)
            if request.opcode == FUSE_INIT.rawValue { connection.core.noteInit(request) }
            connection.process(start, count: Int(count), worker)
            if request.isForget, connection.core.transport.isOnRing { Self.pause() }
        }
        fuse_session_exit(connection.session)
    }

    /// Lets FORGETs gather, which the kernel then gives as one: read one by one each would wake this thread,
    /// and take a CPU from who removes files. Not for long: a removed file's room comes back with its FORGET.
    private static func pause() {
        var time = timespec(tv_sec: 0, tv_nsec: 250_000)
        nanosleep(&time, nil)
    }
}
