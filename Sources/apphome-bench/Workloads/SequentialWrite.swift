import Glibc
import Posix
import SystemPackage

extension Workload {
    /// A large file whose space is allocated is written over, without fsync.
    static let sequentialWrite = Workload(
        name: "write large",
        measure: .mebibytesPerSecond,
        unitCount: { $0.sizeMiB },
        setUp: { (arena) throws(Errno) in try arena.createLargeFile() },
        run: { (arena) throws(Errno) in
            let file = try Descriptor(at: arena.folder, Arena.largeFile, flags: O_WRONLY)
            try arena.writeWhole(file.raw)
        },
        tearDown: { (arena) throws(Errno) in try arena.unlinkLargeFile() })
}
