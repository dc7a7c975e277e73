internal import CLinux
public import SystemPackage

/// How many bytes a user without privileges may still write to the file system of an open file.
public func freeBytes(on descriptor: Int32) throws(Errno) -> Int64 {
    let room = try statistics(of: descriptor)
    return bytes(room.f_bavail, of: room)
}

/// How many bytes the file system of an open file has, used and free.
public func totalBytes(on descriptor: Int32) throws(Errno) -> Int64 {
    let room = try statistics(of: descriptor)
    return bytes(room.f_blocks, of: room)
}

private func statistics(of descriptor: Int32) throws(Errno) -> statvfs {
    var room = statvfs()
    try valueOrErrno(lx_fstatvfs(descriptor, &room))
    return room
}

private func bytes(_ blocks: fsblkcnt_t, of room: statvfs) -> Int64 {
    let (bytes, isTooLarge) = Int64(clamping: blocks)
        .multipliedReportingOverflow(by: Int64(clamping: room.f_frsize))
    return isTooLarge ? .max : bytes
}
