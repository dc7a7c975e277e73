public import CloudStore

/// What one object of a log says: a commit whose operations may lie elsewhere.
public struct LogEntry: Equatable, Sendable {
    public var sequence: UInt64
    /// The hash of the bytes of the entry before; zero for the first.
    public var previous: ContentHash
    public var device: DeviceID
    /// The batch's number, counted by the device.
    public var n: UInt64
    public var time: StoreTime
    public var batchHash: ContentHash
    public var body: CommitBody
    /// The canonical hash of the writer's tree before this commit, in each 100th.
    public var treeHash: ContentHash?

    public init(
        sequence: UInt64, previous: ContentHash, time: StoreTime, batch: EncodedBatch,
        spilled: SpilledOperations? = nil, treeHash: ContentHash? = nil
    ) {
        self.sequence = sequence
        self.previous = previous
        device = batch.batch.device
        n = batch.batch.n
        self.time = time
        batchHash = batch.hash
        body = spilled.map { .spilled($0) } ?? .inline(batch.batch.operations)
        self.treeHash = treeHash
    }

    /// The commit, where the operations are here.
    public var commit: Commit? {
        switch body {
        case .inline(let operations): commit(operations)
        case .spilled: nil
        }
    }

    /// The commit with the operations that its chunk held.
    /// - Throws: `CodingError` where these bytes are not the batch that the entry names.
    public func commit(spilled bytes: [UInt8]) throws(CodingError) -> Commit {
        let operations = try EncodedBatch.decodeOperations(bytes)
        guard EncodedBatch.hash(device: device, n: n, operations: bytes[...]) == batchHash else {
            throw .invalid("operations that are not the batch's")
        }
        return commit(operations)
    }

    private func commit(_ operations: [Operation]) -> Commit {
        Commit(
            sequence: sequence, previous: previous, time: time,
            batch: Batch(device: device, n: n, operations: operations), batchHash: batchHash)
    }
}

public enum CommitBody: Equatable, Sendable {
    case inline([Operation])
    case spilled(SpilledOperations)
}

/// Operations that are too many for one log object: a chunk of the account, alive as long as the entry is.
/// It may be larger than a file's chunks, up to `LogLimits.operationsBytes`.
public struct SpilledOperations: Equatable, Sendable {
    public var hash: ContentHash
    public var sizeBytes: UInt32
    public var locator: Locator
    public var count: UInt32
}

/// What the bytes of a log object turned out to be.
public enum DecodedEntry: Equatable, Sendable {
    case entry(LogEntry)
    /// A later version's: this build reads no further.
    case unknownVersion(UInt64)
}
