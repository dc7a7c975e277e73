import SystemPackage

extension Workload {
    /// Small documents that were read before are opened again.
    static let openReadClose = Workload(
        name: "open+read+close",
        setUp: { (arena) throws(Errno) in
            try arena.createSmallFiles(arena.names)
            try readAll(arena)
        },
        run: { (arena) throws(Errno) in try readAll(arena) },
        tearDown: { (arena) throws(Errno) in try arena.unlinkAll(arena.names) })
}

private func readAll(_ arena: Arena) throws(Errno) {
    for index in 0..<arena.names.count { try arena.readSmallFile(arena.names[index]) }
}
