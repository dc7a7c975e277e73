internal import StoreBasics

/// A batch as it is journaled and sent: its bytes are the same in every try.
package struct EncodedBatch: Equatable, Sendable {
    package let batch: Batch
    /// The array of operations, as it stands in an entry or in a spilled chunk.
    package let operations: [UInt8]
    /// SHA-256 of the array [device, n, operations].
    package let hash: ContentHash

    package init(_ batch: Batch) {
        self.batch = batch
        operations = Self.encode(batch.operations)
        hash = Self.hash(device: batch.device, n: batch.n, operations: operations[...])
    }

    /// The operations that a spilled chunk holds.
    package static func decodeOperations(_ bytes: [UInt8]) throws(CodingError) -> [Operation] {
        if bytes.count > LogLimits.operationsBytes { throw .tooLarge }
        var reader = CBORReader(bytes)
        let operations = try readOperations(&reader)
        try reader.end()
        return operations
    }

    /// More than any build journaled in one batch: a device's own, so only a damaged database has more.
    private static let journaledOperations = 1 << 24

    /// The operations of a batch as this device journaled it. An earlier build put more into one than readers
    /// take.
    package static func decodeJournaled(_ bytes: [UInt8]) throws(CodingError) -> [Operation] {
        var reader = CBORReader(bytes)
        let operations = try reader.list(upTo: journaledOperations, Operation.init(from:))
        try reader.end()
        return operations
    }

    package static func encode(_ operations: [Operation]) -> [UInt8] {
        var writer = CBORWriter(capacity: 256 + operations.count * 160)
        writer.list(operations) { $1.encode(to: &$0) }
        return writer.bytes
    }

    /// What an operation takes in the encoding.
    package static func bytes(of operation: Operation) -> Int {
        var writer = CBORWriter()
        operation.encode(to: &writer)
        return writer.bytes.count
    }

    /// Whether no reader takes it.
    package var isOversized: Bool {
        batch.operations.count > LogLimits.operations || operations.count > LogLimits.operationsBytes
    }

    static func readOperations(_ reader: inout CBORReader) throws(CodingError) -> [Operation] {
        try reader.list(upTo: LogLimits.operations, Operation.init(from:))
    }

    static func hash(device: DeviceID, n: UInt64, operations: ArraySlice<UInt8>) -> ContentHash {
        var writer = CBORWriter(capacity: 64)
        writer.array(3)
        writer.identifier(device.bits)
        writer.unsigned(n)
        var hasher = SHA256Hasher()
        writer.bytes.withUnsafeBytes { hasher.update($0) }
        operations.withUnsafeBytes { hasher.update($0) }
        return ContentHash(digest: hasher.digest()[...])
    }
}
