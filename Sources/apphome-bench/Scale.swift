/// How much work one sample of a workload does.
struct Scale: Sendable, Equatable {
    /// Calls of a sample, for workloads that repeat one small operation.
    var callCount = 2_000
    /// Files of the directory that the listing workloads read.
    var entryCount = 10_000
    /// Length of the large file, in MiB.
    var sizeMiB = 1_024
    /// Files of the source tree that programs work on.
    var treeFileCount = 4_000

    /// What an application that saves a small document writes.
    static let smallFileBytes = 4_096
    /// One read or write of the large file: what `cp` uses.
    static let chunkBytes = 128 * 1_024
    static let mebibyteBytes = 1_024 * 1_024

    var sizeBytes: Int { sizeMiB * Self.mebibyteBytes }
}
