internal import CLinux

/// FUSE_NOTIFY_INVAL_ENTRY with FUSE_EXPIRE_ONLY, which libfuse 3.14 has no call for: fuse_out_header,
/// fuse_notify_inval_entry_out, the name and its NUL.
///
/// Without that flag the kernel takes away what is mounted on the name.
struct ExpiryNotice {
    private let bytes: [UInt8]

    init(name: [UInt8], directory: UInt64) {
        let size = UInt32(16 + 16 + name.count + 1)
        bytes =
            Self.bytes(of: size) + Self.bytes(of: Int32(3)) + Self.bytes(of: UInt64(0))
            + Self.bytes(of: directory) + Self.bytes(of: UInt32(name.count)) + Self.bytes(of: UInt32(1))
            + name + [0]
    }

    /// The kernel's answer says nothing: what it does not know it need not look up anew. Waits for what is
    /// under way in the directory.
    func send(to device: Int32) {
        _ = bytes.withUnsafeBytes { lx_write(device, $0.baseAddress, UInt64($0.count)) }
    }

    private static func bytes<T: BitwiseCopyable>(of value: T) -> [UInt8] {
        withUnsafeBytes(of: value) { Array($0) }
    }
}
