internal import CFuse

/// The request as the kernel wrote it, for what libfuse 3.14 reads but does not pass on.
struct RawRequest {
    private let bytes: UnsafeRawPointer

    init(_ bytes: UnsafeRawPointer) { self.bytes = bytes }

    /// The request that this thread is serving.
    static var current: RawRequest? { Worker.current?.request.map { RawRequest($0) } }

    var sizeBytes: Int { Int(bytes.loadUnaligned(as: UInt32.self)) }
    var opcode: UInt32 { bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self) }
    var isForget: Bool { opcode == FUSE_FORGET.rawValue || opcode == FUSE_BATCH_FORGET.rawValue }
    var unique: UInt64 { bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self) }

    /// What the request is about: a number that the kernel was told.
    var node: fuse_ino_t { bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self) }

    /// FATTR_KILL_SUIDGID of a SETATTR.
    var setattrStripsPrivileges: Bool { argument(UInt32.self, at: 0) & (1 << 11) != 0 }
    /// FUSE_OPEN_KILL_SUIDGID of an OPEN.
    var openStripsPrivileges: Bool { argument(UInt32.self, at: 4) & 1 != 0 }
    /// FUSE_WRITE_KILL_SUIDGID of a WRITE.
    var writeStripsPrivileges: Bool { argument(UInt32.self, at: 20) & (1 << 2) != 0 }
    /// What the kernel offers in an INIT: `flags`, and `flags2` in the upper half.
    var initOffers: UInt64 {
        let header = MemoryLayout<fuse_in_header>.size
        // `flags2` came with the extended INIT, and counts only where bit 30 says so.
        let flags = argument(UInt32.self, at: 12)
        guard flags & InitReply.extended != 0, sizeBytes >= header + 20 else { return UInt64(flags) }
        return UInt64(flags) | UInt64(argument(UInt32.self, at: 16)) << 32
    }

    private func argument<T: BitwiseCopyable>(_ type: T.Type, at offset: Int) -> T {
        bytes.loadUnaligned(fromByteOffset: MemoryLayout<fuse_in_header>.size + offset, as: type)
    }
}
