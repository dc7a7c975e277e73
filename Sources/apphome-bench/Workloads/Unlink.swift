import SystemPackage

extension Workload {
    /// Small files are removed.
    static let unlink = Workload(
        name: "unlink",
        prepare: { (arena) throws(Errno) in try arena.createSmallFiles(arena.names) },
        run: { (arena) throws(Errno) in try arena.unlinkAll(arena.names) })
}
