internal import CLinux
internal import Glibc

/// Flags of open(2); reading where neither `write` nor `both` is said.
struct OpenFlags: OptionSet, Sendable {
    let rawValue: Int32

    static let read = OpenFlags(rawValue: O_RDONLY)
    static let write = OpenFlags(rawValue: O_WRONLY)
    static let both = OpenFlags(rawValue: O_RDWR)
    static let create = OpenFlags(rawValue: O_CREAT)
    static let exclusive = OpenFlags(rawValue: O_EXCL)
    static let truncate = OpenFlags(rawValue: O_TRUNC)
    static let append = OpenFlags(rawValue: O_APPEND)
    static let nonblock = OpenFlags(rawValue: O_NONBLOCK)
    static let sync = OpenFlags(rawValue: O_SYNC)
    static let dataSync = OpenFlags(rawValue: O_DSYNC)
    static let directory = OpenFlags(rawValue: lx_o_directory)
    static let noFollow = OpenFlags(rawValue: lx_o_nofollow)
    static let direct = OpenFlags(rawValue: lx_o_direct)
    static let path = OpenFlags(rawValue: lx_o_path)
    static let temporary = OpenFlags(rawValue: lx_o_tmpfile)
    static let noAccessTime = OpenFlags(rawValue: lx_o_noatime)
}
