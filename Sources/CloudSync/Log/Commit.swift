public import CloudStore

/// What a device wants to say, frozen: journaled before anything of it is sent, and the same in every try.
public struct Batch: Equatable, Sendable {
    public var device: DeviceID
    /// Counts this device's batches, from 1.
    public var n: UInt64
    public var operations: [Operation]

    public init(device: DeviceID, n: UInt64, operations: [Operation]) {
        self.device = device
        self.n = n
        self.operations = operations
    }

    /// The revision that an operation of this batch makes.
    public func revision(of index: Int) -> Revision {
        Revision(device: device, n: n, index: UInt32(index))
    }
}

/// An entry of the log.
public struct Commit: Equatable, Sendable {
    public var sequence: UInt64
    /// The hash of the bytes of the entry before; zero for the first.
    public var previous: ContentHash
    /// The store's time that the writer saw last, and at least the previous entry's. Replay's only "now".
    public var time: StoreTime
    public var batch: Batch
    /// Of the batch in its encoding: with (device, n) it tells one's own entry from a clone's.
    public var batchHash: ContentHash

    public init(
        sequence: UInt64, previous: ContentHash, time: StoreTime, batch: Batch, batchHash: ContentHash
    ) {
        self.sequence = sequence
        self.previous = previous
        self.time = time
        self.batch = batch
        self.batchHash = batchHash
    }
}
