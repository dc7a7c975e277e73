internal import CLinux
public import SystemPackage

/// The text of a symlink, any bytes, without the NUL.
/// - Throws: EINVAL where it is none, or what readlink(2) answers.
public func linkTarget(
    _ name: UnsafePointer<CChar>, in directory: Int32 = Descriptor.workingDirectory
) throws(Errno) -> [UInt8] {
    // The kernel takes no longer one.
    try withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { (text) throws(Errno) in
        let count = try valueOrErrno(
            lx_readlinkat(directory, name, text.baseAddress, UInt64(text.count)))
        return text[..<Int(count)].map(UInt8.init(bitPattern:))
    }
}

/// The path under which this process has a descriptor open; nil where nothing has that path any more.
public func pathOfDescriptor(_ descriptor: Int32) -> String? {
    guard let bytes = try? linkTarget("/proc/self/fd/\(descriptor)") else { return nil }
    let path = String(decoding: bytes, as: UTF8.self)
    return path.isAbsolutePath && !path.hasSuffix(" (deleted)") ? path : nil
}
