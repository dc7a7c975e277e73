package import StoreBasics

/// What a device wants to say, frozen: journaled before anything of it is sent, and the same in every try.
package struct Batch: Equatable, Sendable {
    package var device: DeviceID
    /// Counts this device's batches, from 1.
    package var n: UInt64
    package var operations: [Operation]

    package init(device: DeviceID, n: UInt64, operations: [Operation]) {
        self.device = device
        self.n = n
        self.operations = operations
    }

    /// The revision that an operation of this batch makes.
    package func revision(of index: Int) -> Revision {
        Revision(device: device, n: n, index: UInt32(index))
    }
}

/// Some of a commit's operations: one of an earlier build may have more than is to be in memory, or in a
/// transaction, at once.
package struct CommitPart: Equatable, Sendable {
    /// Its batch has the operations of this part alone.
    package var commit: Commit
    /// How many operations come before them.
    package var first = 0
    package var isLast = true

    /// All of it.
    package init(_ commit: Commit) { self.commit = commit }
}

/// An entry of the log.
package struct Commit: Equatable, Sendable {
    package var sequence: UInt64
    /// The hash of the bytes of the entry before; zero for the first.
    package var previous: ContentHash
    /// The store's time that the writer saw last, and at least the previous entry's. Replay's only "now".
    package var time: StoreTime
    package var batch: Batch
    /// Of the batch in its encoding: with (device, n) it tells one's own entry from a clone's.
    package var batchHash: ContentHash

    package init(
        sequence: UInt64, previous: ContentHash, time: StoreTime, batch: Batch, batchHash: ContentHash
    ) {
        self.sequence = sequence
        self.previous = previous
        self.time = time
        self.batch = batch
        self.batchHash = batchHash
    }
}
