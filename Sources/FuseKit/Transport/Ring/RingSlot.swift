internal import CFuse
internal import Posix
internal import Synchronization

/// One entry of a queue: room for a request, which the answer then takes.
///
/// Its memory: a page whose start is the kernel's header, and whose end is filled up with the request's
/// own head, so that head and payload, which follows, lie as libfuse expects them and data never moves.
// Unchecked: a slot is touched by one thread at a time: its queue's, or the one that the request was handed
// to through a lock, and which answers it. Only `unique` is read by others too, who look for theirs.
final class RingSlot: @unchecked Sendable {
    static let pageBytes = 4096
    static let strideBytes = pageBytes + Worker.payloadBytes
    /// The kernel's struct fuse_uring_req_header.
    static let headerBytes = 288

    /// Its place in the queue, which is also the tag of its commands.
    let index: Int
    // Unowned: the queue owns its slots.
    private unowned let queue: RingQueue
    let header: UnsafeMutableRawPointer
    let payload: UnsafeMutableRawBufferPointer
    /// The request that came last; 0 before the first. The kernel gives no number twice.
    var unique: UInt64 { request.load(ordering: .acquiring) }
    private let request = Atomic<UInt64>(0)
    private var start: UnsafeMutableRawPointer
    private var sizeBytes = 0
    /// A read that waits for the disk; its request is libfuse's already.
    var diskRead: DiskRead?
    /// The kernel has taken the entry and sent requests through it.
    private(set) var isInUse = false

    // Offsets in the kernel's struct fuse_uring_req_header.
    private enum Offset {
        static let argument = 128
        static let payloadSize = 128 + 128 + 16
    }

    init(index: Int, queue: RingQueue, memory: UnsafeMutableRawPointer) {
        self.index = index
        self.queue = queue
        header = memory
        start = memory
        payload = .init(start: memory + RingSlot.pageBytes, count: Worker.payloadBytes)
    }

    /// Puts the request that has arrived together.
    /// - Returns: its operation (enum fuse_opcode).
    func assemble() -> UInt32 {
        let request = RawRequest(header)
        let headBytes = MemoryLayout<fuse_in_header>.size
        let payloadBytes = Int(header.loadUnaligned(fromByteOffset: Offset.payloadSize, as: UInt32.self))
        let argumentBytes = request.sizeBytes - headBytes - payloadBytes
        precondition((0...128).contains(argumentBytes), "the kernel and we see its structures differently")
        self.request.store(request.unique, ordering: .releasing)
        isInUse = true
        let start = header + RingSlot.pageBytes - argumentBytes - headBytes
        start.copyMemory(from: header, byteCount: headBytes)
        (start + headBytes).copyMemory(from: header + Offset.argument, byteCount: argumentBytes)
        self.start = start
        sizeBytes = request.sizeBytes
        return request.opcode
    }

    /// The number of the node that the request that was put together is about.
    var node: fuse_ino_t { RawRequest(start).node }

    /// Of a GETXATTR that was put together: the kernel ends it with NUL.
    var attributeName: FileName {
        let name = start + MemoryLayout<fuse_in_header>.size + MemoryLayout<fuse_getxattr_in>.size
        return FileName(name.assumingMemoryBound(to: CChar.self))
    }

    /// Has libfuse serve the request.
    func serve(_ connection: Connection, _ worker: Worker) {
        worker.slot = self
        defer { worker.slot = nil }
        connection.process(start, count: sizeBytes, worker)
    }

    /// Takes the answer and gives the slot back to the kernel.
    /// - Parameter parts: struct fuse_out_header, then its body in as many parts as it has.
    /// - Returns: the bytes taken.
    func answer(_ parts: UnsafeBufferPointer<iovec>) -> Int {
        guard let head = parts[0].iov_base else { return 0 }
        header.copyMemory(from: head, byteCount: MemoryLayout<fuse_out_header>.size)
        var count = 0
        for part in parts.dropFirst() {
            let size = min(part.iov_len, payload.count - count)
            if let source = part.iov_base, let room = payload.baseAddress, source != room + count {
                // A part may lie in the payload already, and overlap where it belongs.
                (room + count).copyMemory(from: source, byteCount: size)
            }
            count += size
        }
        header.storeBytes(of: UInt32(count), toByteOffset: Offset.payloadSize, as: UInt32.self)
        queue.commit(self)
        return count + MemoryLayout<fuse_out_header>.size
    }
}
