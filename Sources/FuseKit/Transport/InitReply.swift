internal import CFuse

/// The patch to libfuse's answer to INIT: what this kernel can do and libfuse 3.14 does not know.
enum InitReply {
    /// struct fuse_init_out since protocol 7.23.
    static let bytes = 64
    /// FUSE_INIT_EXT: `flags2` counts.
    static let extended: UInt32 = 1 << 30
    /// FUSE_HANDLE_KILLPRIV_V2.
    private static let stripsPrivileges: UInt32 = 1 << 28
    /// FUSE_OVER_IO_URING, of flags and flags2 taken together.
    static let ring: UInt64 = 1 << 41
    /// FUSE_PASSTHROUGH, likewise.
    static let passthrough: UInt64 = 1 << 37

    /// Switches on FUSE_HANDLE_KILLPRIV_V2: without it the kernel asks for `security.capability` before
    /// every write. Stripping suid and sgid is then the file system's work.
    /// - Parameters:
    ///   - usesRing: requests come through io_uring(7) from now on.
    ///   - passthrough: files may be opened for the kernel to read and write by itself.
    static func patch(_ reply: UnsafeMutableRawBufferPointer, usesRing: Bool, passthrough: Bool) {
        set(stripsPrivileges, at: 12, in: reply)
        if passthrough { PassthroughInit.patch(reply) }
        guard usesRing else { return }
        set(extended, at: 12, in: reply)
        set(UInt32(ring >> 32), at: 32, in: reply)
    }

    private static func set(_ bits: UInt32, at offset: Int, in reply: UnsafeMutableRawBufferPointer) {
        let old = reply.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
        reply.storeBytes(of: old | bits, toByteOffset: offset, as: UInt32.self)
    }
}
