import CLinux
import Glibc
import Posix
import SystemPackage

extension Workload {
    /// `ls -l` of a large directory that was listed before.
    static let listAndStat = Workload(
        name: "readdir+stat",
        unitCount: { $0.entryCount },
        setUp: { (arena) throws(Errno) in
            try createEntries(arena)
            try listAndStatAll(arena)
        },
        run: { (arena) throws(Errno) in try listAndStatAll(arena) },
        tearDown: { (arena) throws(Errno) in try arena.unlinkAll(arena.entries) })

    /// `ls -l` of a large directory for the first time.
    static let listAndStatCold = Workload(
        name: "readdir+stat cold",
        isCold: true,
        unitCount: { $0.entryCount },
        setUp: { (arena) throws(Errno) in try createEntries(arena) },
        prepare: { (_) throws(Errno) in try KernelCaches.drop() },
        run: { (arena) throws(Errno) in try listAndStatAll(arena) },
        tearDown: { (arena) throws(Errno) in try arena.unlinkAll(arena.entries) })
}

private func createEntries(_ arena: Arena) throws(Errno) {
    for index in 0..<arena.entries.count {
        let flags = O_WRONLY | O_CREAT | O_EXCL
        _ = lx_close(try valueOrErrno(lx_openat(arena.folder, arena.entries[index], flags, 0o644)))
    }
}

/// Lists the folder as `ls` does, 32 KiB at a time, and looks at each entry in the listing's order.
private func listAndStatAll(_ arena: Arena) throws(Errno) {
    let folder = try Descriptor(at: arena.folder, ".", flags: O_RDONLY | lx_o_directory)
    var seenCount = 0
    while true {
        let size = Int(
            try valueOrErrno(lx_getdents64(folder.raw, arena.buffer.baseAddress, 32_768)))
        if size == 0 { break }
        seenCount += try statEntries(UnsafeRawBufferPointer(arena.buffer)[..<size], in: arena.folder)
    }
    if seenCount != arena.entries.count { throw .ioError }
}

/// Looks at every entry of one getdents64(2) buffer.
/// - Returns: how many there were beside `.` and `..`, which not every file system lists.
private func statEntries(_ entries: Slice<UnsafeRawBufferPointer>, in folder: Int32) throws(Errno) -> Int {
    guard let base = entries.base.baseAddress else { return 0 }
    var status = stat()
    var offset = entries.startIndex
    var count = 0
    // struct linux_dirent64: inode (8 bytes), offset (8), record length (2), type (1), name.
    while offset < entries.endIndex {
        let name = (base + offset + 19).assumingMemoryBound(to: CChar.self)
        try valueOrErrno(lx_fstatat(folder, name, &status, lx_at_symlink_nofollow))
        offset += Int((base + offset + 16).loadUnaligned(as: UInt16.self))
        if name.pointee != CChar(bitPattern: UInt8(ascii: ".")) { count += 1 }
    }
    return count
}
