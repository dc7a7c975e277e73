/// What the database keeps of the tree as a whole: read once in a transaction, written at its end.
package struct TreeSummary: Equatable {
    package var head = TreeHead.empty
    package var counts = TreeCounts()
    package var sum = HashSum()

    package init(counts: TreeCounts = TreeCounts(), sum: HashSum = HashSum()) {
        self.counts = counts
        self.sum = sum
    }

    package func encoded() -> [UInt8] {
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
    package init(_ bytes: [UInt8]) throws(CodingError) {
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
