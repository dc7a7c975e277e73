internal import CFuse
internal import Posix
internal import SystemPackage

/// One request on its way through a callback: whose session it belongs to, and who asks.
///
/// Callbacks are free functions: a closure literal would be bound to its actor context and trap on
/// libfuse's threads.
struct Call {
    let request: fuse_req_t
    let core: SessionCore

    /// - Precondition: libfuse gave `request` to a callback of a session whose userdata is its core.
    init(_ request: fuse_req_t?) {
        // libfuse never calls back without a request, nor without the userdata of fuse_session_new; the
        // session retains the core until libfuse can call no more.
        self.request = request.unsafelyUnwrapped
        core = SessionCore.of(fuse_req_userdata(request)).unsafelyUnwrapped
    }

    var fileSystem: any FileSystem { core.fileSystem }

    var caller: Caller {
        guard let context = fuse_req_ctx(request) else { return Caller(uid: 65534, gid: 65534, thread: 0) }
        guard core.options.believesCallers else {
            let own = RequestRights.own
            return Caller(uid: own.uid, gid: own.gid, thread: context.pointee.pid)
        }
        return Caller(uid: context.pointee.uid, gid: context.pointee.gid, thread: context.pointee.pid)
    }

    /// The node that a request names.
    /// - Throws: ESTALE where the kernel was not told of it, and an ordinary user opened `/dev/fuse`:
    ///   he may have kept it, and answer in root's place.
    func node(_ number: fuse_ino_t) throws(Errno) -> NodeKey {
        let node = core.nodes.node(number)
        guard core.options.believesCallers || core.nodes.isKnown(node, as: number) else { throw .staleHandle }
        return node
    }

    /// What a request has open.
    /// - Throws: EBADF likewise: a handle's number holds the descriptor that is read and written. Not so 0 of
    ///   a directory, which says that it is listed without being opened.
    func handle(
        _ info: UnsafeMutablePointer<fuse_file_info>?, of number: fuse_ino_t, isDirectory: Bool = false
    ) throws(Errno) -> HandleKey {
        let handle = handleKey(info)
        guard !core.options.believesCallers, !isDirectory || handle.rawValue != 0 else { return handle }
        let node = core.nodes.node(number)
        guard core.handles.has(node, handle, isDirectory: isDirectory) else { throw .badFileDescriptor }
        return handle
    }

    /// Answers with what `body` finds, or with its errno; it runs with the rights for this caller.
    @inline(__always)
    func answer<R>(
        _ body: () throws(Errno) -> R, _ send: (consuming Reply, R) -> Void
    ) {
        let reply = Reply(request)
        let result: R
        do throws(Errno) { result = try serving(body) } catch { return reply.error(error) }
        send(reply, result)
    }

    @inline(__always)
    func serving<R>(_ body: () throws(Errno) -> R) throws(Errno) -> R {
        guard RequestRights.areLent, core.options.believesCallers else { return try body() }
        let caller = caller
        return try RequestRights.serving(Owner(uid: caller.uid, gid: caller.gid), body)
    }

    @inline(__always)
    func answerDone(_ body: () throws(Errno) -> Void) {
        answer(body) { (reply, _) in reply.done() }
    }

    /// Answers with an entry, and counts it as known to the kernel.
    @inline(__always)
    func answerEntry(_ body: () throws(Errno) -> Entry) {
        answer(body) { (reply, entry) in
            let number = tell(entry)
            if !reply.entry(entry, numbered: number) { takeBack(entry) }
        }
    }

    /// Counts one telling of the entry's node; returns the kernel's number for it, 0 for none.
    func tell(_ entry: Entry) -> fuse_ino_t {
        guard let node = entry.node else { return 0 }
        if !core.nodes.count(node) { fileSystem.forget(node, count: 1) }
        return core.nodes.number(of: node)
    }

    /// Once: what is not open any more is somebody else's by now.
    func release(_ node: NodeKey, _ handle: HandleKey) {
        guard core.handles.remove(node, handle) else { return }
        fileSystem.release(node, handle: handle)
    }

    func releaseDirectory(_ node: NodeKey, _ handle: HandleKey) {
        guard core.handles.remove(node, handle, isDirectory: true) else { return }
        fileSystem.releaseDirectory(node, handle: handle)
    }

    func takeBack(_ entry: Entry) {
        if let node = entry.node { core.forget(node, tellings: 1) }
    }
}

/// The name that a callback was given.
func fileName(_ name: UnsafePointer<CChar>?) -> FileName {
    // The kernel's requests carry a name wherever the protocol has one.
    FileName(name.unsafelyUnwrapped)
}

func handleKey(_ info: UnsafeMutablePointer<fuse_file_info>?) -> HandleKey {
    HandleKey(rawValue: info?.pointee.fh ?? 0)
}
