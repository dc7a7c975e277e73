internal import CFuse

/// What a session asks the kernel for.
func answerInit(_ userdata: UnsafeMutableRawPointer?, _ connection: UnsafeMutablePointer<fuse_conn_info>?) {
    guard let connection else { return }
    let wanted: [Int32] = [
        FUSE_CAP_ASYNC_READ, FUSE_CAP_ATOMIC_O_TRUNC, FUSE_CAP_ASYNC_DIO, FUSE_CAP_PARALLEL_DIROPS,
        // Contents change only through requests or with an invalidation of ours.
        FUSE_CAP_EXPLICIT_INVAL_DATA, FUSE_CAP_CACHE_SYMLINKS,
        FUSE_CAP_READDIRPLUS, FUSE_CAP_READDIRPLUS_AUTO,
        FUSE_CAP_SPLICE_WRITE, FUSE_CAP_SPLICE_MOVE,
    ]
    // Never FUSE_CAP_WRITEBACK_CACHE: it hides sizes, times and dirty pages from everyone but the kernel.
    // Never FUSE_CAP_SPLICE_READ: a request that lies in a pipe cannot be read as the kernel wrote it, and
    // libfuse does not pass on all of it (RawRequest).
    let capable = connection.pointee.capable
    var want: UInt32 = 0
    for flag in wanted { want |= UInt32(bitPattern: flag) & capable }
    if SessionCore.of(userdata)?.options.locks == .refused {
        want |= UInt32(bitPattern: FUSE_CAP_POSIX_LOCKS | FUSE_CAP_FLOCK_LOCKS) & capable
    }
    connection.pointee.want = want
    connection.pointee.max_write = UInt32(Worker.payloadBytes)
    connection.pointee.max_background = 64
    connection.pointee.congestion_threshold = 48
    connection.pointee.time_gran = 1
}
