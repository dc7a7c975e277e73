internal import CFuse

/// The request as the kernel wrote it, for what libfuse 3.14 reads but does not pass on.
struct RawRequest {
    private let bytes: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// The request that this thread is serving.
    static var current: RawRequest? {
        Worker.current.map { RawRequest(UnsafeRawBufferPointer($0.request)) }
    }

    var opcode: UInt32 { bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self) }
    var unique: UInt64 { bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self) }

    /// FUSE_PASSTHROUGH of an INIT, in the second word of flags.
    var offersPassthrough: Bool { argument(UInt32.self, at: 16) & PassthroughInit.flag != 0 }
    /// FATTR_KILL_SUIDGID of a SETATTR.
    var setattrStripsPrivileges: Bool { argument(UInt32.self, at: 0) & (1 << 11) != 0 }
    /// FUSE_OPEN_KILL_SUIDGID of an OPEN.
    var openStripsPrivileges: Bool { argument(UInt32.self, at: 4) & 1 != 0 }
    /// FUSE_WRITE_KILL_SUIDGID of a WRITE.
    var writeStripsPrivileges: Bool { argument(UInt32.self, at: 20) & (1 << 2) != 0 }

    private func argument<T: BitwiseCopyable>(_ type: T.Type, at offset: Int) -> T {
        bytes.loadUnaligned(fromByteOffset: MemoryLayout<fuse_in_header>.size + offset, as: type)
    }
}
