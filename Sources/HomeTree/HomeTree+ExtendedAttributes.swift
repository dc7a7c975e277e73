internal import CLinux
internal import Posix
internal import SandboxRules
public import SystemPackage

extension HomeTree {
    /// Reads an extended attribute by its name in the backing file system.
    /// - Returns: the value's length; an empty buffer asks for it alone.
    /// - Throws: ENODATA, ERANGE, or what getxattr(2) answers.
    public func extendedAttribute(
        backingName: UnsafePointer<CChar>, of number: InodeNumber, into buffer: UnsafeMutableRawBufferPointer
    ) throws(Errno) -> Int {
        try inodes.withInode(number) { (directory, name) throws(Errno) in
            Int(
                try valueOrErrno(
                    lx_getxattrat(directory, name, backingName, buffer.baseAddress, UInt64(buffer.count))))
        }
    }

    /// The names in the backing file system, each with its NUL; otherwise as `extendedAttribute`.
    public func extendedAttributeNames(
        of number: InodeNumber, into buffer: UnsafeMutableRawBufferPointer
    ) throws(Errno) -> Int {
        try inodes.withInode(number) { (directory, name) throws(Errno) in
            let start = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            return Int(try valueOrErrno(lx_listxattrat(directory, name, start, UInt64(buffer.count))))
        }
    }

    /// Sets an extended attribute. Errors as setxattr(2).
    public func setExtendedAttribute(
        backingName: UnsafePointer<CChar>, to value: UnsafeRawBufferPointer, of number: InodeNumber,
        flags: Int32
    ) throws(Errno) {
        try inodes.withInode(number) { (directory, name) throws(Errno) in
            _ = try valueOrErrno(
                lx_setxattrat(directory, name, backingName, value.baseAddress, UInt64(value.count), flags))
        }
        noteChanged(number)
    }

    /// Removes an extended attribute. Errors as removexattr(2).
    public func removeExtendedAttribute(
        backingName: UnsafePointer<CChar>, of number: InodeNumber
    ) throws(Errno) {
        try inodes.withInode(number) { (directory, name) throws(Errno) in
            _ = try valueOrErrno(lx_removexattrat(directory, name, backingName))
        }
        noteChanged(number)
    }

    /// Whether the item itself carries a skip-backup flag (SPEC 4).
    func isFlagged(_ directory: Int32, _ name: UnsafePointer<CChar>) -> Bool {
        for flag in [SkipBackup.mobileBackup, SkipBackup.excludeItem] {
            let flagName = UnsafeRawBufferPointer(start: flag.utf8Start, count: flag.utf8CodeUnitCount)
            let isSet = AttributeName.withBackingName(of: flagName) { backingName in
                withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
                    let count = lx_getxattrat(directory, name, backingName, buffer.baseAddress, 256)
                    if count == -Int64(Errno.outOfRange.rawValue) { return true }
                    guard count >= 0 else { return false }
                    let value = UnsafeRawBufferPointer(rebasing: buffer[..<Int(count)])
                    return SkipBackup.isSet(name: flagName, value: value)
                }
            }
            if isSet { return true }
        }
        return false
    }
}
