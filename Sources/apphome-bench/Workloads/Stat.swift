import SystemPackage

extension Workload {
    /// Files that were looked at before.
    static let stat = Workload(
        name: "stat",
        setUp: { (arena) throws(Errno) in
            try arena.createSmallFiles(arena.names)
            try arena.statAll(arena.names)
        },
        run: { (arena) throws(Errno) in try arena.statAll(arena.names) },
        tearDown: { (arena) throws(Errno) in try arena.unlinkAll(arena.names) })

    /// The first look at files that the kernel knows nothing of: a lookup each.
    static let statCold = Workload(
        name: "stat cold",
        isCold: true,
        setUp: { (arena) throws(Errno) in try arena.createSmallFiles(arena.names) },
        prepare: { (_) throws(Errno) in try KernelCaches.drop() },
        run: { (arena) throws(Errno) in try arena.statAll(arena.names) },
        tearDown: { (arena) throws(Errno) in try arena.unlinkAll(arena.names) })
}
