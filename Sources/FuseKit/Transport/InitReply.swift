internal import CFuse

/// The patch to libfuse's answer to INIT: what this kernel can do and libfuse 3.14 does not know.
enum InitReply {
    /// struct fuse_init_out since protocol 7.23.
    static let bytes = 64

    /// Switches on FUSE_HANDLE_KILLPRIV_V2: without it the kernel asks for `security.capability` before
    /// every write. Stripping suid and sgid is then the file system's work.
    static func patch(_ reply: UnsafeMutableRawBufferPointer, passthrough: Bool) {
        let flagsOffset = 12
        var flags = reply.loadUnaligned(fromByteOffset: flagsOffset, as: UInt32.self)
        flags |= 1 << 28
        reply.storeBytes(of: flags, toByteOffset: flagsOffset, as: UInt32.self)
        if passthrough { PassthroughInit.patch(reply) }
    }
}
