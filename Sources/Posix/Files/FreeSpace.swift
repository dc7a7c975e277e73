internal import CLinux
public import SystemPackage

/// How many bytes a user without privileges may still write to the file system of an open file.
public func freeBytes(on descriptor: Int32) throws(Errno) -> Int64 {
    var room = statvfs()
    try valueOrErrno(lx_fstatvfs(descriptor, &room))
    let (bytes, isTooLarge) = Int64(clamping: room.f_bavail)
        .multipliedReportingOverflow(by: Int64(clamping: room.f_frsize))
    return isTooLarge ? .max : bytes
}
