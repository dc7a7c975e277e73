import CLinux
import Posix
import SystemPackage

extension Workload {
    /// Files get another name in their directory.
    static let rename = Workload(
        name: "rename",
        setUp: { (arena) throws(Errno) in try arena.createSmallFiles(arena.names) },
        run: { (arena) throws(Errno) in try move(arena, arena.names, to: arena.otherNames) },
        reset: { (arena) throws(Errno) in try move(arena, arena.otherNames, to: arena.names) },
        tearDown: { (arena) throws(Errno) in try arena.unlinkAll(arena.names) })
}

private func move(_ arena: Arena, _ source: NameTable, to target: NameTable) throws(Errno) {
    for index in 0..<source.count {
        try valueOrErrno(lx_renameat2(arena.folder, source[index], arena.folder, target[index], 0))
    }
}
