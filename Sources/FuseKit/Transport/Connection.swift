internal import CFuse

/// One mount's line to the kernel: what every thread that serves it needs.
// Unchecked: `session` is libfuse's own, thread-safe for this use; `Session` keeps it until all threads
// have ended.
struct Connection: @unchecked Sendable {
    let session: OpaquePointer
    /// The open `/dev/fuse`.
    let descriptor: Int32
    let core: SessionCore

    /// Has libfuse decode the request at `start` and call back.
    func process(_ start: UnsafeMutableRawPointer, count: Int, _ worker: Worker) {
        worker.request = UnsafeRawPointer(start)
        var buffer = fuse_buf()
        buffer.mem = start
        buffer.size = count
        fuse_session_process_buf(session, &buffer)
    }
}
