import CLinux
import Posix
import SystemPackage

extension Workload {
    /// Directories are made.
    static let makeDirectory = Workload(
        name: "mkdir",
        run: { (arena) throws(Errno) in try makeAll(arena) },
        reset: { (arena) throws(Errno) in try removeAll(arena) })

    /// Empty directories are removed.
    static let removeDirectory = Workload(
        name: "rmdir",
        prepare: { (arena) throws(Errno) in try makeAll(arena) },
        run: { (arena) throws(Errno) in try removeAll(arena) })
}

private func makeAll(_ arena: Arena) throws(Errno) {
    for index in 0..<arena.names.count {
        try valueOrErrno(lx_mkdirat(arena.folder, arena.names[index], 0o755))
    }
}

private func removeAll(_ arena: Arena) throws(Errno) {
    for index in 0..<arena.names.count {
        try valueOrErrno(lx_unlinkat(arena.folder, arena.names[index], lx_at_removedir))
    }
}
