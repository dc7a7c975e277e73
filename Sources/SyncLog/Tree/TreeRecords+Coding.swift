internal import StoreBasics

extension RetainedContent {
    static let fieldCount = 4

    package func encode(to writer: inout CBORWriter) {
        writer.array(Self.fieldCount)
        writer.unsigned(SnapshotRecord.Kind.retained)
        writer.identifier(file.bits)
        writer.signed(since.seconds)
        version.encode(to: &writer)
    }

    package init(from reader: inout CBORReader) throws(CodingError) {
        let file = try reader.file()
        let since = try reader.time()
        self.init(file: file, version: try Version(from: &reader), since: since)
    }
}

extension ChunkRecord {
    static let fieldCount = 6
    /// More than this many earlier locators are never kept.
    static let replacedLimit = 16

    package func encode(to writer: inout CBORWriter) {
        writer.array(Self.fieldCount)
        writer.unsigned(SnapshotRecord.Kind.chunk)
        writer.hash(hash)
        writer.unsigned(sizeBytes)
        locator.encode(to: &writer)
        writer.signed(since.seconds)
        writer.list(replaced) { writer, old in
            writer.array(2)
            old.locator.encode(to: &writer)
            writer.signed(old.time.seconds)
        }
    }

    package init(from reader: inout CBORReader) throws(CodingError) {
        let hash = try reader.hash()
        let size = try reader.unsigned(upTo: LogLimits.chunkBytes)
        let locator = try Locator(from: &reader)
        let since = try reader.time()
        self.init(hash: hash, sizeBytes: UInt32(size), locator: locator, since: since)
        replaced = try reader.list(upTo: Self.replacedLimit) { reader throws(CodingError) in
            try reader.array(of: 2)
            let locator = try Locator(from: &reader)
            return ReplacedLocator(locator: locator, time: try reader.time())
        }
    }
}

extension DeviceMark {
    static let fieldCount = 4

    package func encode(to writer: inout CBORWriter) {
        writer.array(Self.fieldCount)
        writer.unsigned(SnapshotRecord.Kind.device)
        writer.identifier(device.bits)
        writer.unsigned(n)
        writer.hash(batchHash)
    }

    package init(from reader: inout CBORReader) throws(CodingError) {
        let device = DeviceID(bits: try reader.identifier())
        let n = try reader.unsigned(upTo: UInt64(Int64.max))
        self.init(device: device, n: n, batchHash: try reader.hash())
    }
}

extension TreeHead {
    package func encoded() -> [UInt8] {
        var writer = CBORWriter()
        writer.array(3)
        writer.unsigned(sequence)
        writer.hash(entryHash)
        writer.signed(time.seconds)
        return writer.bytes
    }

    package init(_ bytes: [UInt8]) throws(CodingError) {
        var reader = CBORReader(bytes)
        try reader.array(of: 3)
        let sequence = try reader.unsigned(upTo: UInt64(Int64.max))
        let hash = try reader.hash()
        self.init(sequence: sequence, entryHash: hash, time: try reader.time())
        try reader.end()
    }
}
