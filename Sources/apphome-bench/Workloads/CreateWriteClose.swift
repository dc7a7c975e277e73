import SystemPackage

extension Workload {
    /// A small document is saved under a new name.
    static let createWriteClose = Workload(
        name: "create+write+close",
        run: { (arena) throws(Errno) in try arena.createSmallFiles(arena.names) },
        reset: { (arena) throws(Errno) in try arena.unlinkAll(arena.names) })
}
