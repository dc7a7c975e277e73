package import StoreBasics

/// What one object of a log says: a commit whose operations may lie elsewhere.
package struct LogEntry: Equatable, Sendable {
    package var sequence: UInt64
    /// The hash of the bytes of the entry before; zero for the first.
    package var previous: ContentHash
    package var device: DeviceID
    /// The batch's number, counted by the device.
    package var n: UInt64
    package var time: StoreTime
    package var batchHash: ContentHash
    package var body: CommitBody
    /// The canonical hash of the writer's tree before this commit, in each 100th.
    package var treeHash: ContentHash?

    package init(
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
    package var commit: Commit? {
        switch body {
        case .inline(let operations): commit(operations)
        case .spilled: nil
        }
    }

    /// The commit with the operations that its chunk held.
    /// - Throws: `CodingError` where these bytes are not the batch that the entry names.
    package func commit(spilled bytes: [UInt8]) throws(CodingError) -> Commit {
        var operations = try self.operations(spilled: bytes)
        return commit(try operations.next(upTo: operations.left))
    }

    /// The operations that its chunk held, for a commit that is to be applied in parts.
    /// - Throws: as `commit(spilled:)`.
    package func operations(spilled bytes: [UInt8]) throws(CodingError) -> OperationReader {
        let operations = try OperationReader(bytes)
        guard EncodedBatch.hash(device: device, n: n, operations: bytes[...]) == batchHash else {
            throw .invalid("operations that are not the batch's")
        }
        return operations
    }

    /// The commit with these operations, which are its own.
    package func commit(_ operations: [Operation]) -> Commit {
        Commit(
            sequence: sequence, previous: previous, time: time,
            batch: Batch(device: device, n: n, operations: operations), batchHash: batchHash)
    }
}

package enum CommitBody: Equatable, Sendable {
    case inline([Operation])
    case spilled(SpilledOperations)
}

/// Operations that are too many for one log object: a chunk of the account, alive as long as the entry is.
/// It may be larger than a file's chunks, up to `LogLimits.operationsBytes`.
package struct SpilledOperations: Equatable, Sendable {
    package var hash: ContentHash
    package var sizeBytes: UInt32
    package var locator: Locator
    package var count: UInt32

    package init(hash: ContentHash, sizeBytes: UInt32, locator: Locator, count: UInt32) {
        self.hash = hash
        self.sizeBytes = sizeBytes
        self.locator = locator
        self.count = count
    }
}

/// What the bytes of a log object turned out to be.
package enum DecodedEntry: Equatable, Sendable {
    case entry(LogEntry)
    /// A later version's: this build reads no further.
    case unknownVersion(UInt64)
}
