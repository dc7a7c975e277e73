internal import CFuse
internal import SystemPackage

/// The largest value or list of names that Linux passes (XATTR_SIZE_MAX, XATTR_LIST_MAX).
private let attributeBytes = 64 << 10

func answerSetxattr(
    _ request: fuse_req_t?, _ number: fuse_ino_t, _ name: UnsafePointer<CChar>?,
    _ value: UnsafePointer<CChar>?,
    _ size: Int, _ flags: Int32
) {
    let call = Call(request)
    call.answerDone { () throws(Errno) in
        try call.fileSystem.setExtendedAttribute(
            fileName(name), to: UnsafeRawBufferPointer(start: value, count: size), of: call.node(number),
            flags: flags, for: call.caller)
    }
}

func answerGetxattr(_ request: fuse_req_t?, _ number: fuse_ino_t, _ name: UnsafePointer<CChar>?, _ size: Int)
{
    let call = Call(request)
    answerSized(call, size) { (buffer) throws(Errno) in
        try call.fileSystem.extendedAttribute(
            fileName(name), of: call.node(number), into: buffer, for: call.caller)
    }
}

func answerListxattr(_ request: fuse_req_t?, _ number: fuse_ino_t, _ size: Int) {
    let call = Call(request)
    answerSized(call, size) { (buffer) throws(Errno) in
        try call.fileSystem.extendedAttributeNames(of: call.node(number), into: buffer, for: call.caller)
    }
}

/// Answers with the bytes that `fill` writes, or for size 0 with how many there would be.
private func answerSized(
    _ call: Call, _ size: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(Errno) -> Int
) {
    let reply = Reply(call.request)
    guard let scratch = Worker.current?.scratch else { return reply.error(.noMemory) }
    let buffer = UnsafeMutableRawBufferPointer(rebasing: scratch[..<min(size, attributeBytes)])
    let count: Int
    do throws(Errno) {
        count = try call.serving { () throws(Errno) in try fill(buffer) }
    } catch {
        return reply.error(error)
    }
    if size == 0 { return reply.attributeSize(count) }
    if count > buffer.count { return reply.error(.outOfRange) }
    reply.bytes(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
}

func answerRemovexattr(_ request: fuse_req_t?, _ number: fuse_ino_t, _ name: UnsafePointer<CChar>?) {
    let call = Call(request)
    call.answerDone { () throws(Errno) in
        try call.fileSystem.removeExtendedAttribute(fileName(name), of: call.node(number), for: call.caller)
    }
}
