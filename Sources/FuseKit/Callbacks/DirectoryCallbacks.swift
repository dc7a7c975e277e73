internal import CFuse
internal import SystemPackage

func answerOpendir(
    _ request: fuse_req_t?, _ number: fuse_ino_t, _ info: UnsafeMutablePointer<fuse_file_info>?
) {
    let call = Call(request)
    let node = call.core.nodes.node(number)
    call.answer { () throws(Errno) in
        try call.fileSystem.openDirectory(call.node(number), for: call.caller)
    } _: { (reply, handle) in
        var answer = info?.pointee ?? fuse_file_info()
        answer.fh = handle.rawValue
        if call.fileSystem.keepsListings {
            answer.keep_cache = 1
            answer.cache_readdir = 1
        }
        call.core.handles.add(node, handle, isDirectory: true)
        if !reply.opened(answer) { call.releaseDirectory(node, handle) }
    }
}

func answerReaddir(
    _ request: fuse_req_t?, _ number: fuse_ino_t, _ size: Int, _ offset: off_t,
    _ info: UnsafeMutablePointer<fuse_file_info>?
) { list(request, number, size, offset, info, wantsEntries: false) }

func answerReaddirplus(
    _ request: fuse_req_t?, _ number: fuse_ino_t, _ size: Int, _ offset: off_t,
    _ info: UnsafeMutablePointer<fuse_file_info>?
) { list(request, number, size, offset, info, wantsEntries: true) }

private func list(
    _ request: fuse_req_t?, _ number: fuse_ino_t, _ size: Int, _ offset: off_t,
    _ info: UnsafeMutablePointer<fuse_file_info>?, wantsEntries: Bool
) {
    let call = Call(request)
    let reply = Reply(call.request)
    guard let scratch = Worker.current?.scratch else { return reply.error(.noMemory) }
    let room = UnsafeMutableRawBufferPointer(rebasing: scratch[..<min(size, scratch.count)])
    var listing = Listing(call.request, core: call.core, buffer: room, wantsEntries: wantsEntries)
    do throws(Errno) {
        try call.serving { () throws(Errno) in
            try call.fileSystem.list(
                call.node(number), handle: call.handle(info, of: number, isDirectory: true),
                from: Int64(offset), into: &listing,
                for: call.caller)
        }
    } catch {
        // Entries that were added count as told; answering them is the only way to keep both sides even.
        if listing.usedBytes == 0 { return reply.error(error) }
    }
    reply.bytes(listing.filled)
}

func answerReleasedir(
    _ request: fuse_req_t?, _ number: fuse_ino_t, _ info: UnsafeMutablePointer<fuse_file_info>?
) {
    let call = Call(request)
    call.releaseDirectory(call.core.nodes.node(number), handleKey(info))
    Reply(call.request).done()
}

func answerFsyncdir(
    _ request: fuse_req_t?, _ number: fuse_ino_t, _ dataOnly: Int32,
    _ info: UnsafeMutablePointer<fuse_file_info>?
) {
    let call = Call(request)
    call.answerDone { () throws(Errno) in
        try call.fileSystem.syncDirectory(
            call.node(number), handle: call.handle(info, of: number, isDirectory: true),
            dataOnly: dataOnly != 0)
    }
}
