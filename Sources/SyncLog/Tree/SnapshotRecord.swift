/// One row of the tree in its only encoding: what a snapshot's pages hold in ascending order of `key`, and
/// what the canonical hash is made of. References are not written: they follow from the contents.
package enum SnapshotRecord: Equatable, Sendable {
    case chunk(ChunkRecord)
    case node(Node)
    case retained(RetainedContent)
    case device(DeviceMark)
    /// In key-value stores' snapshots alone.
    case keyValue(KeyValueRecord)

    /// Unique in a tree, ordered as bytes: a kind, then what identifies the row within it. Chunks come first,
    /// for contents need them.
    package var key: [UInt8] {
        switch self {
        case .chunk(let chunk): [0] + chunk.hash.bytes
        case .node(let node): [1] + Self.bytes(node.id.bits)
        case .retained(let content):
            [2] + Self.bytes(content.file.bits) + Self.bytes(content.version.position.sequence)
                + Self.bytes(content.version.position.index)
        case .device(let mark): [3] + Self.bytes(mark.device.bits)
        case .keyValue(let record): [4] + record.key.utf8
        }
    }

    package func encoded() -> [UInt8] {
        var writer = CBORWriter()
        switch self {
        case .chunk(let chunk): chunk.encode(to: &writer)
        case .node(let node): node.encode(to: &writer)
        case .retained(let content): content.encode(to: &writer)
        case .device(let mark): mark.encode(to: &writer)
        case .keyValue(let record): record.encode(to: &writer)
        }
        return writer.bytes
    }

    /// - Throws: `CodingError` for bytes that no tree's row has. Whether rows fit together, `SnapshotLoader`
    ///   finds out.
    package init(_ bytes: [UInt8]) throws(CodingError) {
        var reader = CBORReader(bytes)
        let count = try reader.array()
        switch (try reader.unsigned(), count) {
        case (Kind.chunk, ChunkRecord.fieldCount): self = .chunk(try ChunkRecord(from: &reader))
        case (Kind.node, Node.fieldCount): self = .node(try Node(from: &reader))
        case (Kind.retained, RetainedContent.fieldCount):
            self = .retained(try RetainedContent(from: &reader))
        case (Kind.device, DeviceMark.fieldCount): self = .device(try DeviceMark(from: &reader))
        case (Kind.keyValue, KeyValueRecord.fieldCount):
            self = .keyValue(try KeyValueRecord(from: &reader))
        default: throw .unexpected
        }
        try reader.end()
    }

    enum Kind {
        static let chunk: UInt64 = 0
        static let node: UInt64 = 1
        static let retained: UInt64 = 2
        static let device: UInt64 = 3
        static let keyValue: UInt64 = 4
    }

    private static func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }
}
