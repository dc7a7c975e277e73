internal import CFuse
internal import CLinux
internal import Posix
internal import SystemPackage

extension fuse_file_info {
    /// A write(2) goes to the end of the file, as the flags are now: fcntl(2) may have changed them since the
    /// file was opened. Dirty pages of a mapping go where they belong.
    fileprivate var appends: Bool { flags & lx_o_append != 0 && writepage == 0 }

    fileprivate mutating func take(_ opened: Opened) {
        fh = opened.handle.rawValue
        // Passthrough is answered by hand: libfuse 3.14 does not know it.
        direct_io = opened.mode == .direct ? 1 : 0
        keep_cache = opened.mode == .cached && opened.keepsCache ? 1 : 0
    }
}

func answerOpen(_ request: fuse_req_t?, _ number: fuse_ino_t, _ info: UnsafeMutablePointer<fuse_file_info>?) {
    let call = Call(request)
    let node = call.core.nodes.node(number)
    call.answer { () throws(Errno) in
        try call.fileSystem.open(
            call.node(number), flags: info?.pointee.flags ?? 0,
            stripsPrivileges: RawRequest.current?.openStripsPrivileges ?? true, for: call.caller)
    } _: { (reply, opened) in
        call.core.handles.add(node, opened.handle)
        let isTaken: Bool
        if let answer = fuse_open_out(passing: opened) {
            isTaken = reply.raw(answer)
        } else {
            var answer = info?.pointee ?? fuse_file_info()
            answer.take(opened)
            isTaken = reply.opened(answer)
        }
        if !isTaken { call.release(node, opened.handle) }
    }
}

func answerCreate(
    _ request: fuse_req_t?, _ parent: fuse_ino_t, _ name: UnsafePointer<CChar>?, _ mode: mode_t,
    _ info: UnsafeMutablePointer<fuse_file_info>?
) {
    let call = Call(request)
    call.answer { () throws(Errno) in
        try call.fileSystem.create(
            fileName(name), in: call.node(parent), mode: mode, flags: info?.pointee.flags ?? 0,
            for: call.caller)
    } _: { (reply, result) in
        let (entry, opened) = result
        if let node = entry.node { call.core.handles.add(node, opened.handle) }
        let number = call.tell(entry)
        if let answer = fuse_open_out(passing: opened) {
            if reply.raw(PassingCreation(entry, numbered: number, answer)) { return }
        } else {
            var answer = info?.pointee ?? fuse_file_info()
            answer.take(opened)
            if reply.created(entry, numbered: number, answer) { return }
        }
        if let node = entry.node { call.release(node, opened.handle) }
        call.takeBack(entry)
    }
}

func answerRead(
    _ request: fuse_req_t?, _ number: fuse_ino_t, _ size: Int, _ offset: off_t,
    _ info: UnsafeMutablePointer<fuse_file_info>?
) {
    let call = Call(request)
    let (node, handle): (NodeKey, HandleKey)
    do throws(Errno) {
        (node, handle) = (try call.node(number), try call.handle(info, of: number))
    } catch { return Reply(call.request).error(error) }
    call.fileSystem.read(
        node, handle: handle, sizeBytes: size, offset: Int64(offset), reply: ReadReply(Reply(call.request)))
}

func answerWrite(
    _ request: fuse_req_t?, _ number: fuse_ino_t, _ bytes: UnsafePointer<CChar>?, _ size: Int,
    _ offset: off_t,
    _ info: UnsafeMutablePointer<fuse_file_info>?
) {
    let call = Call(request)
    call.answer { () throws(Errno) in
        try call.fileSystem.write(
            WriteBuffer(start: bytes, count: size), to: call.node(number),
            handle: call.handle(info, of: number),
            offset: info?.pointee.appends == true ? nil : Int64(offset),
            stripsPrivileges: RawRequest.current?.writeStripsPrivileges ?? true)
    } _: { (reply, count) in
        reply.written(count)
    }
}

func answerFlush(_ request: fuse_req_t?, _ number: fuse_ino_t, _ info: UnsafeMutablePointer<fuse_file_info>?)
{
    let call = Call(request)
    call.answerDone { () throws(Errno) in
        try call.fileSystem.flush(call.node(number), handle: call.handle(info, of: number))
    }
}

func answerRelease(
    _ request: fuse_req_t?, _ number: fuse_ino_t, _ info: UnsafeMutablePointer<fuse_file_info>?
) {
    let call = Call(request)
    call.release(call.core.nodes.node(number), handleKey(info))
    Reply(call.request).done()
}

func answerFsync(
    _ request: fuse_req_t?, _ number: fuse_ino_t, _ dataOnly: Int32,
    _ info: UnsafeMutablePointer<fuse_file_info>?
) {
    let call = Call(request)
    call.answerDone { () throws(Errno) in
        try call.fileSystem.sync(
            call.node(number), handle: call.handle(info, of: number), dataOnly: dataOnly != 0)
    }
}

func answerFallocate(
    _ request: fuse_req_t?, _ number: fuse_ino_t, _ mode: Int32, _ offset: off_t, _ size: off_t,
    _ info: UnsafeMutablePointer<fuse_file_info>?
) {
    let call = Call(request)
    call.answerDone { () throws(Errno) in
        try call.fileSystem.allocate(
            call.node(number), handle: call.handle(info, of: number), mode: mode, offset: Int64(offset),
            sizeBytes: Int64(size),
            for: call.caller)
    }
}

func answerLseek(
    _ request: fuse_req_t?, _ number: fuse_ino_t, _ offset: off_t, _ whence: Int32,
    _ info: UnsafeMutablePointer<fuse_file_info>?
) {
    let call = Call(request)
    call.answer { () throws(Errno) in
        try call.fileSystem.seek(
            call.node(number), handle: call.handle(info, of: number), offset: Int64(offset), whence: whence)
    } _: { (reply, position) in
        reply.position(position)
    }
}

func answerCopyFileRange(
    _ request: fuse_req_t?, _ number: fuse_ino_t, _ offset: off_t,
    _ info: UnsafeMutablePointer<fuse_file_info>?,
    _ newNumber: fuse_ino_t, _ newOffset: off_t, _ newInfo: UnsafeMutablePointer<fuse_file_info>?,
    _ size: Int,
    _ flags: Int32
) {
    let call = Call(request)
    call.answer { () throws(Errno) in
        if flags != 0 { throw Errno.invalidArgument }
        return try call.fileSystem.copyRange(
            from: call.handle(info, of: number), offset: Int64(offset), to: call.node(newNumber),
            handle: call.handle(newInfo, of: newNumber),
            offset: Int64(newOffset), sizeBytes: size, for: call.caller)
    } _: { (reply, count) in
        reply.written(count)
    }
}

// Locks of a session that leaves them to another mount.

func refuseGetlk(
    _ request: fuse_req_t?, _ number: fuse_ino_t, _ info: UnsafeMutablePointer<fuse_file_info>?,
    _ lock: UnsafeMutablePointer<flock>?
) { Reply(Call(request).request).error(.noLocks) }

func refuseSetlk(
    _ request: fuse_req_t?, _ number: fuse_ino_t, _ info: UnsafeMutablePointer<fuse_file_info>?,
    _ lock: UnsafeMutablePointer<flock>?, _ waits: Int32
) { Reply(Call(request).request).error(.noLocks) }

func refuseFlock(
    _ request: fuse_req_t?, _ number: fuse_ino_t, _ info: UnsafeMutablePointer<fuse_file_info>?,
    _ operation: Int32
) { Reply(Call(request).request).error(.noLocks) }
