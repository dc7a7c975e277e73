import CLinux
import Posix
import SystemPackage

extension Workload {
    /// Names that are not there are looked for again.
    static let statAbsent = Workload(
        name: "stat absent",
        setUp: { (arena) throws(Errno) in try missAll(arena) },
        run: { (arena) throws(Errno) in try missAll(arena) })

    /// Names that are not there are looked for, and the kernel knows nothing of them.
    static let statAbsentCold = Workload(
        name: "stat absent cold",
        isCold: true,
        prepare: { (_) throws(Errno) in try KernelCaches.drop() },
        run: { (arena) throws(Errno) in try missAll(arena) })
}

private func missAll(_ arena: Arena) throws(Errno) {
    var status = stat()
    for index in 0..<arena.absentNames.count {
        let result = lx_fstatat(
            arena.folder, arena.absentNames[index], &status, lx_at_symlink_nofollow)
        if result == -Errno.noSuchFileOrDirectory.rawValue { continue }
        try valueOrErrno(result)
        throw .fileExists
    }
}
