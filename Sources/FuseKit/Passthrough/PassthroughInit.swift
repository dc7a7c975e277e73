/// What the answer to INIT says to have passthrough.
enum PassthroughInit {
    /// FUSE_PASSTHROUGH in the second word of flags.
    static let flag: UInt32 = 1 << 5

    /// - Parameter reply: struct fuse_init_out, of 64 bytes.
    static func patch(_ reply: UnsafeMutableRawBufferPointer) {
        update(reply, at: 12) { flags in
            // FUSE_INIT_EXT: the second word counts.
            flags |= 1 << 30
            // FUSE_WRITEBACK_CACHE, which excludes passthrough.
            flags &= ~(1 << 16)
        }
        // FUSE_DIRECT_IO_ALLOW_MMAP too: a direct open can stand beside a passthrough one.
        update(reply, at: 32) { $0 |= flag | 1 << 4 }
        // max_stack_depth: backing files of a plain file system only. 0 switches passthrough off.
        update(reply, at: 36) { $0 = 1 }
    }

    private static func update(
        _ reply: UnsafeMutableRawBufferPointer, at offset: Int, _ change: (inout UInt32) -> Void
    ) {
        var word = reply.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
        change(&word)
        reply.storeBytes(of: word, toByteOffset: offset, as: UInt32.self)
    }
}
