internal import CFuse
internal import CLinux
internal import SystemPackage

extension Reply {
    /// Answers a READ that came by the ring: read straight into the slot, from where the kernel takes it.
    /// - Parameter mayWait: false leaves what is not in memory to the slot's queue, as a `DiskRead`.
    consuming func data(
        from descriptor: Int32, offset: Int64, sizeBytes: Int, in slot: RingSlot, mayWait: Bool
    ) {
        let room = UnsafeMutableRawBufferPointer(
            rebasing: slot.payload[..<min(sizeBytes, slot.payload.count)])
        let ready = mayWait ? read(descriptor, offset, room) : readReady(descriptor, offset, room)
        guard let count = ready else {
            slot.diskRead = DiskRead(
                request: request, descriptor: descriptor, offset: offset, sizeBytes: room.count)
            discard self
            return
        }
        if count < 0 { return error(Errno(rawValue: Int32(-count))) }
        bytes(UnsafeRawBufferPointer(rebasing: room[..<Int(count)]))
    }
}

/// A READ that waits for the disk, by the io_uring that brought it: a thread for it would cost more than the
/// read.
// The descriptor stays: the kernel sends no RELEASE while a READ is under way.
struct DiskRead {
    let request: fuse_req_t
    let descriptor: Int32
    let offset: Int64
    let sizeBytes: Int
    private var doneBytes = 0
    private var failure: Errno?

    init(request: fuse_req_t, descriptor: Int32, offset: Int64, sizeBytes: Int) {
        self.request = request
        self.descriptor = descriptor
        self.offset = offset
        self.sizeBytes = sizeBytes
    }

    /// Where the rest of it begins in the file.
    var position: Int64 { offset + Int64(doneBytes) }

    func room(in slot: RingSlot) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(rebasing: slot.payload[doneBytes..<sizeBytes])
    }

    /// What a piece has given. One that io_uring gave up, as it does where it can make no thread that waits,
    /// is read here: a program knows nothing of that, and read(2) has no such error.
    func outcome(of piece: Int32, into room: UnsafeMutableRawBufferPointer) -> Int32 {
        guard Errno(rawValue: -piece) == .canceled else { return piece }
        return Int32(clamping: read(descriptor, position, room))
    }

    /// Takes a piece's outcome: bytes, 0 at the end of the file, or -errno.
    /// - Returns: whether there may be more.
    mutating func take(_ outcome: Int32) -> Bool {
        if outcome < 0 { failure = Errno(rawValue: -outcome) }
        doneBytes += Int(max(outcome, 0))
        return outcome > 0 && doneBytes < sizeBytes
    }

    func answer(_ slot: RingSlot, _ worker: Worker) {
        worker.slot = slot
        defer { worker.slot = nil }
        let reply = Reply(request)
        // Also after a first piece: fewer bytes would mean the end of the file.
        if let failure { return reply.error(failure) }
        reply.bytes(UnsafeRawBufferPointer(rebasing: slot.payload[..<doneBytes]))
    }
}

private func read(_ descriptor: Int32, _ offset: Int64, _ room: UnsafeMutableRawBufferPointer) -> Int64 {
    lx_pread(descriptor, room.baseAddress, UInt64(room.count), offset)
}

/// What can be read without waiting; nil where that is less than all there is.
private func readReady(
    _ descriptor: Int32, _ offset: Int64, _ room: UnsafeMutableRawBufferPointer
) -> Int64? {
    let size = UInt64(room.count)
    let count = lx_pread_nowait(descriptor, room.baseAddress, size, offset)
    switch Errno(rawValue: Int32(clamping: -count)) {
    case .resourceTemporarilyUnavailable: return nil
    case .notSupported, .invalidArgument: return read(descriptor, offset, room)
    default: break
    }
    guard count > 0, count < size else { return count }
    // Less than was asked for: the end of the file, or of what is in memory.
    let more = lx_pread_nowait(descriptor, room.baseAddress, 1, offset + count)
    return more == 0 ? count : nil
}
