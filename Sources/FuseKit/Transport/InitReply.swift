internal import CFuse

/// The patch to libfuse's answer to INIT: what this kernel can do and libfuse 3.14 does not know.
enum InitReply {
    /// struct fuse_init_out since protocol 7.23.
    static let bytes = 64
    /// FUSE_INIT_EXT: `flags2` counts.
    static let extended: UInt32 = 1 << 30
    /// FUSE_HANDLE_KILLPRIV_V2.
    private static let stripsPrivileges: UInt32 = 1 << 28
    /// FUSE_WRITEBACK_CACHE, which excludes passthrough.
    private static let writebackCache: UInt32 = 1 << 16
    /// FUSE_OVER_IO_URING, of flags and flags2 taken together.
    static let ring: UInt64 = 1 << 41
    /// FUSE_PASSTHROUGH, likewise.
    static let passthrough: UInt64 = 1 << 37
    /// FUSE_DIRECT_IO_ALLOW_MMAP: a direct open can stand beside a passthrough one.
    private static let mapsDirectFiles: UInt64 = 1 << 36

    /// Switches on FUSE_HANDLE_KILLPRIV_V2: without it the kernel asks for `security.capability` before
    /// every write. Stripping suid and sgid is then the file system's work.
    /// - Parameters:
    ///   - usesRing: requests come through io_uring(7) from now on.
    ///   - usesPassthrough: files may be opened for the kernel to read and write by itself.
    static func patch(_ reply: UnsafeMutableRawBufferPointer, usesRing: Bool, usesPassthrough: Bool) {
        var flags = UInt64(stripsPrivileges)
        if usesRing { flags |= ring | UInt64(extended) }
        if usesPassthrough {
            flags |= passthrough | mapsDirectFiles | UInt64(extended)
            // max_stack_depth: backing files of a plain file system only. 0 switches passthrough off.
            reply.storeBytes(of: 1, toByteOffset: 36, as: UInt32.self)
        }
        let excluded = usesPassthrough ? writebackCache : 0
        update(reply, at: 12) { $0 = $0 & ~excluded | UInt32(truncatingIfNeeded: flags) }
        update(reply, at: 32) { $0 |= UInt32(flags >> 32) }
    }

    private static func update(
        _ reply: UnsafeMutableRawBufferPointer, at offset: Int, _ change: (inout UInt32) -> Void
    ) {
        var word = reply.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
        change(&word)
        reply.storeBytes(of: word, toByteOffset: offset, as: UInt32.self)
    }
}
