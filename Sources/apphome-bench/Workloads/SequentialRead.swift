import SystemPackage

extension Workload {
    /// A large file is read from its start to its end, again.
    static let sequentialRead = Workload(
        name: "read large",
        measure: .mebibytesPerSecond,
        unitCount: { $0.sizeMiB },
        setUp: { (arena) throws(Errno) in try arena.createWarmLargeFile() },
        run: { (arena) throws(Errno) in try arena.readLargeFile() },
        tearDown: { (arena) throws(Errno) in try arena.unlinkLargeFile() })

    /// A large file is read for the first time.
    static let sequentialReadCold = Workload(
        name: "read large cold",
        measure: .mebibytesPerSecond,
        isCold: true,
        unitCount: { $0.sizeMiB },
        setUp: { (arena) throws(Errno) in try arena.createLargeFile() },
        prepare: { (_) throws(Errno) in try KernelCaches.drop() },
        run: { (arena) throws(Errno) in try arena.readLargeFile() },
        tearDown: { (arena) throws(Errno) in try arena.unlinkLargeFile() })
}
