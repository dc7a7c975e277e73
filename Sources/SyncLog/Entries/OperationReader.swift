/// The operations of a batch, read from their encoding in order: all of a large one at once would take ten
/// times its bytes.
package struct OperationReader: Sendable {
    private var reader: CBORReader
    /// How many were read, and how many are still to be.
    package private(set) var taken = 0
    package private(set) var left: Int

    /// - Throws: `CodingError` where this is no list of operations that a reader takes, to its last byte.
    package init(_ bytes: [UInt8]) throws(CodingError) {
        if bytes.count > LogLimits.operationsBytes { throw .tooLarge }
        reader = CBORReader(bytes)
        left = try reader.array(upTo: LogLimits.operations)
        var check = reader
        for _ in 0..<left { _ = try Operation(from: &check) }
        try check.end()
    }

    /// The next ones, so many at most.
    package mutating func next(upTo limit: Int) throws(CodingError) -> [Operation] {
        var operations: [Operation] = []
        for _ in 0..<min(left, limit) {
            operations.append(try Operation(from: &reader))
            taken += 1
            left -= 1
        }
        return operations
    }
}
