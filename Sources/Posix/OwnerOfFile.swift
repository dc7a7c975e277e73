internal import CLinux
internal import Glibc
public import SystemPackage

/// The owner of a file.
public func ownerOfFile(_ file: borrowing Descriptor) throws(Errno) -> Owner {
    var details = stat()
    guard fstat(file.raw, &details) == 0 else { throw Errno(rawValue: errno) }
    return Owner(uid: details.st_uid, gid: details.st_gid)
}
