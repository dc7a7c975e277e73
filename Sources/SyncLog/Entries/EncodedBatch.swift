/// A batch as it is journaled and sent: its bytes are the same in every try.
package struct EncodedBatch: Equatable, Sendable {
    package let batch: Batch
    /// The array of operations, as it stands in an entry or in a spilled chunk.
    package let operations: [UInt8]
    /// SHA-256 of the array [device, n, operations].
    package let hash: ContentHash

    package init(_ batch: Batch) {
        self.batch = batch
        var writer = CBORWriter(capacity: 256 + batch.operations.count * 160)
        writer.list(batch.operations) { $1.encode(to: &$0) }
        operations = writer.bytes
        hash = Self.hash(device: batch.device, n: batch.n, operations: operations[...])
    }

    /// Whether the operations have to go up as a chunk before the entry: with them the entry would be larger
    /// than a log object may be.
    package var mustSpill: Bool { operations.count > LogLimits.entryBytes - LogEntry.headBytes }

    /// The operations that a spilled chunk holds.
    package static func decodeOperations(_ bytes: [UInt8]) throws(CodingError) -> [Operation] {
        if bytes.count > LogLimits.operationsBytes { throw .tooLarge }
        var reader = CBORReader(bytes)
        let operations = try readOperations(&reader)
        try reader.end()
        return operations
    }

    static func readOperations(_ reader: inout CBORReader) throws(CodingError) -> [Operation] {
        try reader.list(upTo: LogLimits.operations, Operation.init(from:))
    }

    static func hash(device: DeviceID, n: UInt64, operations: ArraySlice<UInt8>) -> ContentHash {
        var writer = CBORWriter(capacity: operations.count + 32)
        writer.array(3)
        writer.identifier(device.bits)
        writer.unsigned(n)
        return ContentHash(of: writer.bytes + operations)
    }
}
