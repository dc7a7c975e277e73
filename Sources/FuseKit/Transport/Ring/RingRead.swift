internal import CFuse
internal import CLinux
internal import SystemPackage

extension Reply {
    /// Answers a READ that came by the ring: read straight into the slot, from where the kernel takes it.
    /// - Parameter mayWait: false leaves what is not in memory to a thread that holds nobody up.
    consuming func data(
        from descriptor: Int32, offset: Int64, sizeBytes: Int, in slot: RingSlot, mayWait: Bool
    ) {
        let room = UnsafeMutableRawBufferPointer(
            rebasing: slot.payload[..<min(sizeBytes, slot.payload.count)])
        guard let count = mayWait ? read(descriptor, offset, room) : readReady(descriptor, offset, room)
        else {
            slot.waitingRead = .init(
                request: request, descriptor: descriptor, offset: offset, sizeBytes: sizeBytes)
            discard self
            return
        }
        if count < 0 { return error(Errno(rawValue: Int32(-count))) }
        bytes(UnsafeRawBufferPointer(rebasing: room[..<Int(count)]))
    }
}

private func read(_ descriptor: Int32, _ offset: Int64, _ room: UnsafeMutableRawBufferPointer) -> Int64? {
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
