import CLinux
import Posix
import SystemPackage

extension Workload {
    /// An attribute that is there is read; the kernel caches none, so each is a request.
    static let getExtendedAttribute = Workload(
        name: "getxattr",
        setUp: attributed,
        run: { (arena) throws(Errno) in
            for index in 0..<arena.names.count {
                let size = lx_getxattrat(
                    arena.folder, arena.names[index], attribute, arena.buffer.baseAddress, 64)
                if try valueOrErrno(size) != 5 { throw .ioError }
            }
        },
        tearDown: { (arena) throws(Errno) in try arena.unlinkAll(arena.names) })

    /// An attribute that is there gets its value again.
    static let setExtendedAttribute = Workload(
        name: "setxattr",
        setUp: attributed,
        run: { (arena) throws(Errno) in try setAll(arena) },
        tearDown: { (arena) throws(Errno) in try arena.unlinkAll(arena.names) })
}

private let attributed: Workload.Step = { (arena) throws(Errno) in
    try arena.createSmallFiles(arena.names)
    try setAll(arena)
}

private func setAll(_ arena: Arena) throws(Errno) {
    for index in 0..<arena.names.count {
        try valueOrErrno(lx_setxattrat(arena.folder, arena.names[index], attribute, "value", 5, 0))
    }
}

private let attribute = "user.bench"
