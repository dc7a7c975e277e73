internal import CLinux
internal import Glibc
internal import Posix
internal import SystemPackage

/// What kind of item a name is, as lstat(2) tells it.
enum ItemKind: Equatable {
    case file, directory, link, other

    init(mode: UInt32) {
        switch mode & 0o170000 {
        case 0o100000: self = .file
        case 0o040000: self = .directory
        case 0o120000: self = .link
        default: self = .other
        }
    }
}

/// What lstat(2) says of an item, as far as the device uses it.
struct ItemStatus {
    let kind: ItemKind
    /// Permission bits only.
    let mode: UInt32
    let sizeBytes: Int64
    let device: UInt64
    let inode: UInt64
    let linkCount: UInt64
    let owner: Owner
    let modified: timespec

    init(_ raw: stat) {
        kind = ItemKind(mode: raw.st_mode)
        mode = raw.st_mode & 0o7777
        sizeBytes = Int64(raw.st_size)
        device = UInt64(raw.st_dev)
        inode = UInt64(raw.st_ino)
        linkCount = UInt64(raw.st_nlink)
        owner = Owner(uid: raw.st_uid, gid: raw.st_gid)
        modified = raw.st_mtim
    }

    /// The item that `fd` is.
    init(of fd: Int32) throws(Errno) {
        var raw = stat()
        try valueOrErrno(lx_fstat(fd, &raw))
        self.init(raw)
    }

    /// The item `name` in `directory`; a link is not followed.
    init(at directory: Int32, _ name: [CChar]) throws(Errno) {
        var raw = stat()
        try valueOrErrno(lx_fstatat(directory, name, &raw, lx_at_symlink_nofollow))
        self.init(raw)
    }

    /// The item `name` in `directory`; a link is not followed.
    init(at directory: Int32, _ name: String) throws(Errno) {
        var raw = stat()
        try valueOrErrno(lx_fstatat(directory, name, &raw, lx_at_symlink_nofollow))
        self.init(raw)
    }
}
