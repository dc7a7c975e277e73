import CLinux
import Glibc
import Posix
import SystemPackage

extension Workload {
    /// Small documents that were read before are opened again, and nothing is read.
    static let openClose = Workload(
        name: "open+close",
        setUp: { (arena) throws(Errno) in
            try arena.createSmallFiles(arena.names)
            for index in 0..<arena.names.count { try arena.readSmallFile(arena.names[index]) }
        },
        run: { (arena) throws(Errno) in
            for index in 0..<arena.names.count {
                let file = try valueOrErrno(lx_openat(arena.folder, arena.names[index], O_RDONLY, 0))
                try valueOrErrno(lx_close(file))
            }
        },
        tearDown: { (arena) throws(Errno) in try arena.unlinkAll(arena.names) })
}
