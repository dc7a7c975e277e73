/// What the database keeps of the tree as a whole: read once in a transaction, written at its end.
struct TreeSummary: Equatable {
    var head = TreeHead.empty
    var counts = TreeCounts()
    var sum = HashSum()

    func encoded() -> [UInt8] {
        var writer = CBORWriter()
        writer.array(9)
        writer.byteString(head.encoded())
        writer.identifier(sum.high)
        writer.identifier(sum.low)
        for field in Self.fields { writer.unsigned(counts[keyPath: field]) }
        return writer.bytes
    }
}

extension TreeSummary {
    init(_ bytes: [UInt8]) throws(CodingError) {
        var reader = CBORReader(bytes)
        try reader.array(of: 9)
        self.init()
        head = try TreeHead(reader.byteString(upTo: 256))
        let high = try reader.identifier()
        sum = HashSum(high: high, low: try reader.identifier())
        for field in Self.fields { counts[keyPath: field] = try reader.unsigned() }
        try reader.end()
    }

    private static var fields: [WritableKeyPath<TreeCounts, UInt64>] {
        [\.documents, \.directories, \.sizeBytes, \.conflicts, \.withdrawn, \.tombstones]
    }
}

/// What a transaction of the database remembers of the tree.
struct SQLiteTreeMemory {
    /// Nil until somebody asks.
    var summary: TreeSummary?
    var isSummaryChanged = false
}
