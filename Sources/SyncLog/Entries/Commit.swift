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
