internal import CFuse
internal import CLinux
internal import Posix
public import SystemPackage

/// The answer to one request: spent exactly once, by consuming it; dropped unspent it answers EIO.
///
/// The methods that hand something over return false when the kernel no longer wants it (its caller was
/// killed meanwhile): what the answer carried then has to be taken back.
struct Reply: ~Copyable {
    let request: fuse_req_t

    init(_ request: fuse_req_t) { self.request = request }

    deinit { fuse_reply_err(request, Errno.ioError.rawValue) }

    consuming func error(_ errno: Errno) {
        fuse_reply_err(request, errno.rawValue)
        discard self
    }

    consuming func done() {
        fuse_reply_err(request, 0)
        discard self
    }

    /// For requests that get no answer (FORGET).
    consuming func none() {
        fuse_reply_none(request)
        discard self
    }

    consuming func entry(_ entry: Entry, numbered number: fuse_ino_t) -> Bool {
        var parameters = fuse_entry_param(entry, numbered: number)
        let sent = fuse_reply_entry(request, &parameters)
        discard self
        return sent == 0
    }

    consuming func created(_ entry: Entry, numbered number: fuse_ino_t, _ info: fuse_file_info) -> Bool {
        var parameters = fuse_entry_param(entry, numbered: number)
        var info = info
        let sent = fuse_reply_create(request, &parameters, &info)
        discard self
        return sent == 0
    }

    consuming func opened(_ info: fuse_file_info) -> Bool {
        var info = info
        let sent = fuse_reply_open(request, &info)
        discard self
        return sent == 0
    }

    consuming func attributes(_ attributes: Attributes) {
        var status = attributes.status
        fuse_reply_attr(request, &status, attributes.seconds)
        discard self
    }

    consuming func bytes(_ bytes: UnsafeRawBufferPointer) {
        fuse_reply_buf(request, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
        discard self
    }

    /// Hands over what libfuse has no call for, as the protocol has it.
    consuming func raw<T: BitwiseCopyable>(_ answer: T) -> Bool {
        let request = self.request
        let sent = withUnsafeBytes(of: answer) { bytes in
            fuse_reply_buf(request, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
        }
        discard self
        return sent == 0
    }

    consuming func text(_ cString: UnsafePointer<CChar>) {
        fuse_reply_readlink(request, cString)
        discard self
    }

    consuming func written(_ count: Int) {
        fuse_reply_write(request, count)
        discard self
    }

    consuming func attributeSize(_ count: Int) {
        fuse_reply_xattr(request, count)
        discard self
    }

    consuming func position(_ offset: Int64) {
        fuse_reply_lseek(request, Int(offset))
        discard self
    }

    consuming func statistics(_ statistics: statvfs) {
        var statistics = statistics
        fuse_reply_statfs(request, &statistics)
        discard self
    }

    consuming func data(from descriptor: Int32, offset: Int64, sizeBytes: Int) {
        var source = fuse_bufvec()
        source.count = 1
        source.buf.size = sizeBytes
        source.buf.flags = fuse_buf_flags(FUSE_BUF_IS_FD.rawValue | FUSE_BUF_FD_SEEK.rawValue)
        source.buf.fd = descriptor
        source.buf.pos = Int(offset)
        fuse_reply_data(request, &source, FUSE_BUF_SPLICE_MOVE)
        discard self
    }
}

extension fuse_entry_param {
    init(_ entry: Entry, numbered number: fuse_ino_t) {
        self.init()
        ino = number
        generation = entry.generation
        attr = entry.status
        entry_timeout = entry.entrySeconds
        attr_timeout = entry.attributeSeconds
    }
}

/// The answer to a READ. Who wants to spend it later, on any thread, keeps it first.
public struct ReadReply: ~Copyable {
    private var reply: Reply
    /// After `reply`, so that one which is dropped has answered first.
    private var hold: ReplyHold?

    init(_ reply: consuming Reply) { self.reply = reply }

    /// To be called before `read` returns by who answers later: the session does not end before the answer.
    public mutating func keep() {
        hold = SessionCore.of(fuse_req_userdata(reply.request)).map(ReplyHold.init)
    }

    /// Answers with what `descriptor` holds at `offset`, fewer bytes only at the end of the file. On the
    /// thread that `read` was called on.
    public consuming func data(from descriptor: Int32, offset: Int64, sizeBytes: Int) {
        if let worker = Worker.current, let slot = worker.slot {
            let mayWait = worker.queue == nil
            return reply.data(
                from: descriptor, offset: offset, sizeBytes: sizeBytes, in: slot, mayWait: mayWait)
        }
        // Up to this size one copy through memory is cheaper than two splices and a pipe.
        guard sizeBytes <= Self.copiedBytes, let scratch = Worker.current?.scratch, scratch.count >= sizeBytes
        else { return reply.data(from: descriptor, offset: offset, sizeBytes: sizeBytes) }
        let count = lx_pread(descriptor, scratch.baseAddress, UInt64(sizeBytes), offset)
        if count < 0 { return reply.error(Errno(rawValue: CInt(-count))) }
        reply.bytes(UnsafeRawBufferPointer(rebasing: scratch[..<Int(count)]))
    }

    /// Answers with bytes that came from elsewhere; from any thread.
    public consuming func bytes(_ bytes: [UInt8]) {
        // The pointer is taken apart from the call: a reply cannot be consumed inside a closure.
        let count = bytes.count
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
        defer { copy.deallocate() }
        copy.copyBytes(from: bytes)
        let hold = hold.take()
        reply.bytes(UnsafeRawBufferPointer(copy))
        withExtendedLifetime(hold) {}
    }

    public consuming func error(_ errno: Errno) {
        let hold = hold.take()
        reply.error(errno)
        withExtendedLifetime(hold) {}
    }

    private static var copiedBytes: Int { 64 << 10 }
}

/// Keeps a session from ending while somebody has an answer of its for later: libfuse's request points at
/// the session.
final class ReplyHold: Sendable {
    private let core: SessionCore

    init(_ core: SessionCore) {
        self.core = core
        core.heldReplies.update { $0 += 1 }
    }

    deinit { core.heldReplies.update { $0 -= 1 } }
}
