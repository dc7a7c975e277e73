internal import CloudSync
internal import SyncContent
internal import SyncLog

/// Bounds of a writer that are so small that each history meets them.
struct Bounds: Equatable {
    var batches: BatchLimits
    var snapshots: SnapshotPolicy
    var entriesPerTreeHash: UInt64
    var operationsApplied: Int
    var pendingInPlan: Int
    var itemsInPlan: Int
    var objectsInPart: Int
    var sizes: ContentSizes
    /// What a call of the disk takes; slow ones end turns amid plans.
    var diskCallNanoseconds: UInt64

    init(seed: UInt64) {
        var random = WorldRandom(seed: seed, stream: 1 << 61)
        batches = BatchLimits(
            operations: 1 + random.below(4), bytes: 64 << random.below(5),
            entryBytes: [0, 150, 300, LogLimits.entryBytes / 2][random.below(4)])
        snapshots = SnapshotPolicy(
            leastCommits: UInt64(2 + random.below(9)), mostCommits: UInt64(2 + random.below(9)),
            leastBytes: UInt64(random.below(3_000)))
        entriesPerTreeHash = UInt64(1 + random.below(4))
        operationsApplied = 1 + random.below(4)
        pendingInPlan = 1 + random.below(5)
        objectsInPart = 1 + random.below(9)
        itemsInPlan = 4 << random.below(10)
        diskCallNanoseconds = [2_000, 2_000, 10_000_000, 100_000_000][random.below(4)]
        sizes = ContentSizes(
            packBytes: 64 << random.below(5), pageBytes: 128 << random.below(6),
            recordsPerPage: UInt64(1 + random.below(6)))
    }
}
