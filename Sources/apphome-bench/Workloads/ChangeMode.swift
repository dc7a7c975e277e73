import CLinux
import Posix
import SystemPackage

extension Workload {
    /// Files get other permissions than they have.
    static let changeMode = Workload(
        name: "chmod",
        setUp: { (arena) throws(Errno) in try arena.createSmallFiles(arena.names) },
        run: { (arena) throws(Errno) in try setModes(arena, 0o600) },
        reset: { (arena) throws(Errno) in try setModes(arena, 0o644) },
        tearDown: { (arena) throws(Errno) in try arena.unlinkAll(arena.names) })
}

private func setModes(_ arena: Arena, _ mode: UInt32) throws(Errno) {
    for index in 0..<arena.names.count {
        try valueOrErrno(lx_chmodat(arena.folder, arena.names[index], mode))
    }
}
