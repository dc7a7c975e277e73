internal import CFuse
internal import CLinux
internal import Posix
internal import SystemPackage

func answerLookup(_ request: fuse_req_t?, _ parent: fuse_ino_t, _ name: UnsafePointer<CChar>?) {
    let call = Call(request)
    let name = fileName(name)
    if call.fileSystem.delaysLookups, delay(call, parent, name) { return }
    answerLookup(call, parent, name)
}

private func answerLookup(_ call: Call, _ parent: fuse_ino_t, _ name: FileName) {
    call.answerEntry { () throws(Errno) in
        try call.fileSystem.lookup(name, in: call.node(parent), for: call.caller)
    }
}

/// - Returns: false where it has to be answered now.
private func delay(_ call: Call, _ parent: fuse_ino_t, _ name: FileName) -> Bool {
    // Until it is answered the session keeps it, and nobody else uses it.
    nonisolated(unsafe) let call = call
    let (copy, hold) = (name.terminated, ReplyHold(call.core))
    return call.fileSystem.delay(lookup: name, in: call.core.nodes.node(parent)) {
        copy.withUnsafeBufferPointer { copy in
            guard let start = copy.baseAddress else { return }
            answerLookup(call, parent, FileName(start))
        }
        withExtendedLifetime(hold) {}
    }
}

func answerAccess(_ request: fuse_req_t?, _ number: fuse_ino_t, _ mode: Int32) {
    let call = Call(request)
    call.answerDone { () throws(Errno) in
        try call.fileSystem.checkAccess(mode, to: call.node(number), for: call.caller)
    }
}

func answerForget(_ request: fuse_req_t?, _ number: fuse_ino_t, _ tellings: UInt64) {
    let call = Call(request)
    Reply(call.request).none()
    call.core.forget(call.core.nodes.node(number), tellings: tellings)
}

func answerForgetMany(
    _ request: fuse_req_t?, _ count: Int, _ forgets: UnsafeMutablePointer<fuse_forget_data>?
) {
    let call = Call(request)
    for forget in UnsafeBufferPointer(start: forgets, count: count) {
        call.core.forget(call.core.nodes.node(forget.ino), tellings: forget.nlookup)
    }
    Reply(call.request).none()
}

func answerGetattr(
    _ request: fuse_req_t?, _ number: fuse_ino_t, _ info: UnsafeMutablePointer<fuse_file_info>?
) {
    let call = Call(request)
    call.answer { () throws(Errno) in
        try call.fileSystem.attributes(
            of: call.node(number), handle: info == nil ? nil : call.handle(info, of: number))
    } _: { (reply, attributes) in
        reply.attributes(attributes)
    }
}

func answerSetattr(
    _ request: fuse_req_t?, _ number: fuse_ino_t, _ status: UnsafeMutablePointer<stat>?, _ valid: Int32,
    _ info: UnsafeMutablePointer<fuse_file_info>?
) {
    let call = Call(request)
    call.answer { () throws(Errno) in
        guard let status else { throw Errno.invalidArgument }
        return try call.fileSystem.setAttributes(
            AttributeChanges(status.pointee, valid: valid), of: call.node(number),
            handle: info == nil ? nil : call.handle(info, of: number),
            for: call.caller)
    } _: { (reply, attributes) in
        reply.attributes(attributes)
    }
}

extension AttributeChanges {
    fileprivate init(_ status: stat, valid: Int32) {
        func has(_ bit: Int32) -> Bool { valid & bit != 0 }
        func time(_ given: timespec, _ set: Int32, _ now: Int32) -> timespec? {
            if has(now) { return timespec(tv_sec: 0, tv_nsec: Int(lx_utime_now)) }
            return has(set) ? given : nil
        }
        self.init()
        if has(FUSE_SET_ATTR_MODE) { mode = status.st_mode & 0o7777 }
        if has(FUSE_SET_ATTR_UID) { uid = status.st_uid }
        if has(FUSE_SET_ATTR_GID) { gid = status.st_gid }
        if has(FUSE_SET_ATTR_SIZE) { sizeBytes = Int64(status.st_size) }
        accessTime = time(status.st_atim, FUSE_SET_ATTR_ATIME, FUSE_SET_ATTR_ATIME_NOW)
        modificationTime = time(status.st_mtim, FUSE_SET_ATTR_MTIME, FUSE_SET_ATTR_MTIME_NOW)
        stripsPrivileges = RawRequest.current?.setattrStripsPrivileges ?? true
    }
}

func answerReadlink(_ request: fuse_req_t?, _ number: fuse_ino_t) {
    let call = Call(request)
    withUnsafeTemporaryAllocation(byteCount: 4097, alignment: 1) { buffer in
        call.answer { () throws(Errno) in
            let count = try call.fileSystem.readLink(
                call.node(number), into: .init(rebasing: buffer[..<4096]))
            buffer[count] = 0
        } _: { (reply, _) in
            // The buffer has a NUL after at most 4,096 bytes.
            reply.text(buffer.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: CChar.self))
        }
    }
}

func answerMknod(
    _ request: fuse_req_t?, _ parent: fuse_ino_t, _ name: UnsafePointer<CChar>?, _ mode: mode_t,
    _ device: dev_t
) {
    let call = Call(request)
    call.answerEntry { () throws(Errno) in
        try call.fileSystem.makeNode(
            fileName(name), in: call.node(parent), mode: mode, device: UInt64(device), for: call.caller)
    }
}

func answerMkdir(_ request: fuse_req_t?, _ parent: fuse_ino_t, _ name: UnsafePointer<CChar>?, _ mode: mode_t)
{
    let call = Call(request)
    call.answerEntry { () throws(Errno) in
        try call.fileSystem.makeDirectory(fileName(name), in: call.node(parent), mode: mode, for: call.caller)
    }
}

func answerSymlink(
    _ request: fuse_req_t?, _ target: UnsafePointer<CChar>?, _ parent: fuse_ino_t,
    _ name: UnsafePointer<CChar>?
) {
    let call = Call(request)
    call.answerEntry { () throws(Errno) in
        guard let target else { throw Errno.invalidArgument }
        return try call.fileSystem.makeLink(
            to: target, fileName(name), in: call.node(parent), for: call.caller)
    }
}

func answerLink(
    _ request: fuse_req_t?, _ number: fuse_ino_t, _ parent: fuse_ino_t, _ name: UnsafePointer<CChar>?
) {
    let call = Call(request)
    call.answerEntry { () throws(Errno) in
        try call.fileSystem.link(
            call.node(number), as: fileName(name), in: call.node(parent), for: call.caller)
    }
}

func answerUnlink(_ request: fuse_req_t?, _ parent: fuse_ino_t, _ name: UnsafePointer<CChar>?) {
    let call = Call(request)
    call.answerDone { () throws(Errno) in
        try call.fileSystem.removeFile(fileName(name), in: call.node(parent), for: call.caller)
    }
}

func answerRmdir(_ request: fuse_req_t?, _ parent: fuse_ino_t, _ name: UnsafePointer<CChar>?) {
    let call = Call(request)
    call.answerDone { () throws(Errno) in
        try call.fileSystem.removeDirectory(fileName(name), in: call.node(parent), for: call.caller)
    }
}

func answerRename(
    _ request: fuse_req_t?, _ parent: fuse_ino_t, _ name: UnsafePointer<CChar>?, _ newParent: fuse_ino_t,
    _ newName: UnsafePointer<CChar>?, _ flags: UInt32
) {
    let call = Call(request)
    call.answerDone { () throws(Errno) in
        try call.fileSystem.rename(
            fileName(name), in: call.node(parent), to: fileName(newName), in: call.node(newParent),
            flags: flags, for: call.caller)
    }
}

func answerStatfs(_ request: fuse_req_t?, _ number: fuse_ino_t) {
    let call = Call(request)
    call.answer { () throws(Errno) in
        try call.fileSystem.statistics(of: call.node(number))
    } _: { (reply, statistics) in
        reply.statistics(statistics)
    }
}
