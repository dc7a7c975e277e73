internal import CFuse
internal import CLinux

// libfuse's own reads and writes of a session's descriptor come through these; `userdata` is the core.

func transportRead(
    _ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ size: Int, _ userdata: UnsafeMutableRawPointer?
) -> Int {
    posixResult(lx_read(descriptor, buffer, UInt64(size)))
}

func transportWrite(
    _ descriptor: Int32, _ parts: UnsafeMutablePointer<iovec>?, _ count: Int32,
    _ userdata: UnsafeMutableRawPointer?
) -> Int {
    guard let parts, let header = parts[0].iov_base else { return posixResult(-22) }
    let unique = header.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    let answer = UnsafeBufferPointer(start: parts, count: Int(count))
    if let slot = Worker.current?.slot, slot.unique == unique { return slot.answer(answer) }
    if let transport = SessionCore.of(userdata)?.transport {
        if transport.isInit(unique) { return posixResult(transport.answerInit(answer, to: descriptor)) }
        // Kept, and answered by another thread than the one that it came to.
        if let slot = transport.slot(holding: unique) { return slot.answer(answer) }
    }
    return posixResult(lx_writev(descriptor, parts, count))
}

func transportSplice(
    _ source: Int32, _ sourceOffset: UnsafeMutablePointer<Int>?, _ target: Int32,
    _ targetOffset: UnsafeMutablePointer<Int>?, _ size: Int, _ flags: UInt32,
    _ userdata: UnsafeMutableRawPointer?
) -> Int {
    posixResult(lx_splice(source, target, UInt64(size), flags))
}

/// A result of at least 0, or -1 with errno set, as libfuse expects of read, writev and splice.
private func posixResult(_ result: Int64) -> Int {
    if result >= 0 { return Int(result) }
    lx_set_errno(Int32(-result))
    return -1
}
