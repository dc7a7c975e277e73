internal import CLinux
internal import Posix
public import SystemPackage

extension HomeTree {
    /// Writes at `offset`, nil for the end of the file. Errors as pwrite(2), after which part may be written.
    /// - Returns: the bytes written, fewer only where the next would fail.
    public func write(
        _ bytes: UnsafeRawBufferPointer, to number: InodeNumber, _ handle: FileHandle, offset: Int64?,
        stripsPrivileges: Bool
    ) throws(Errno) -> Int {
        var written = 0
        repeat {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
            let count: Int64
            do throws(Errno) {
                count = try retrying {
                    guard let offset else {
                        return lx_append(handle.descriptor, rest.baseAddress, UInt64(rest.count))
                    }
                    return lx_pwrite(
                        handle.descriptor, rest.baseAddress, UInt64(rest.count), offset + Int64(written))
                }
            } catch {
                if written > 0 { break }
                throw error
            }
            if count == 0 { break }
            written += Int(count)
        } while written < bytes.count
        noteChanged(number)
        if stripsPrivileges { try stripPrivileges(of: number, handle.descriptor) }
        return written
    }

    /// Makes what was written durable. Errors as fsync(2).
    public func sync(_ handle: FileHandle, dataOnly: Bool) throws(Errno) {
        try retrying { lx_fsync(handle.descriptor, dataOnly ? 1 : 0) }
        noteSynced(handle)
    }

    /// Errors as fallocate(2); modes but KEEP_SIZE, PUNCH_HOLE and ZERO_RANGE are EOPNOTSUPP.
    public func allocate(
        _ number: InodeNumber, _ handle: FileHandle, mode: Int32, offset: Int64, sizeBytes: Int64,
        stripsPrivileges: Bool
    ) throws(Errno) {
        let known = lx_falloc_keep_size | lx_falloc_punch_hole | lx_falloc_zero_range
        if mode & ~known != 0 { throw .operationNotSupported }
        try retrying { lx_fallocate(handle.descriptor, mode, offset, sizeBytes) }
        noteChanged(number)
        if stripsPrivileges { try stripPrivileges(of: number, handle.descriptor) }
    }

    /// SEEK_DATA and SEEK_HOLE. Errors as lseek(2).
    public func seek(_ handle: FileHandle, offset: Int64, whence: Int32) throws(Errno) -> Int64 {
        try valueOrErrno(lx_lseek(handle.descriptor, offset, whence))
    }

    /// Copies within the home without bytes passing through. Errors as copy_file_range(2).
    public func copyRange(
        from source: FileHandle, offset: Int64, to number: InodeNumber, _ handle: FileHandle,
        offset newOffset: Int64, sizeBytes: Int, stripsPrivileges: Bool
    ) throws(Errno) -> Int {
        var from = offset
        var to = newOffset
        let count = try retrying {
            lx_copy_file_range(source.descriptor, &from, handle.descriptor, &to, UInt64(sizeBytes))
        }
        noteChanged(number)
        if stripsPrivileges { try stripPrivileges(of: number, handle.descriptor) }
        return Int(count)
    }
}
