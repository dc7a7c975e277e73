internal import StoreBasics

/// A map with the keys below, ascending. Signatures and encryption come as further keys, with a new version.
extension LogEntry {
    static let version: UInt64 = 1
    /// More than everything but the operations takes.
    static let headBytes = 1024

    fileprivate enum Key {
        static let version: UInt64 = 0
        static let sequence: UInt64 = 1
        static let previous: UInt64 = 2
        static let device: UInt64 = 3
        static let n: UInt64 = 4
        static let time: UInt64 = 5
        static let batchHash: UInt64 = 6
        static let operations: UInt64 = 7
        static let spilled: UInt64 = 8
        static let treeHash: UInt64 = 9
    }

    /// The bytes of the log object; the same for the same entry, always.
    package func encoded() -> [UInt8] {
        var writer = CBORWriter(capacity: Self.headBytes)
        writer.map(treeHash == nil ? 8 : 9)
        writer.unsigned(Key.version)
        writer.unsigned(Self.version)
        writer.unsigned(Key.sequence)
        writer.unsigned(sequence)
        writer.unsigned(Key.previous)
        writer.hash(previous)
        writer.unsigned(Key.device)
        writer.identifier(device.bits)
        writer.unsigned(Key.n)
        writer.unsigned(n)
        writer.unsigned(Key.time)
        writer.signed(time.seconds)
        writer.unsigned(Key.batchHash)
        writer.hash(batchHash)
        body.encode(to: &writer)
        if let treeHash {
            writer.unsigned(Key.treeHash)
            writer.hash(treeHash)
        }
        return writer.bytes
    }

    /// Reads a log object.
    /// - Throws: `CodingError` where the bytes are no entry of a known version, or hold operations that are
    ///   not the batch they name.
    package static func decode(_ bytes: [UInt8]) throws(CodingError) -> DecodedEntry {
        if bytes.count > LogLimits.entryBytes { throw .tooLarge }
        var reader = CBORReader(bytes)
        let count = try reader.map()
        try reader.key(Key.version)
        let version = try reader.unsigned()
        guard version == Self.version else { return .unknownVersion(version) }
        let entry = try LogEntry(from: &reader, keys: count)
        try reader.end()
        return .entry(entry)
    }

    private init(from reader: inout CBORReader, keys: Int) throws(CodingError) {
        guard keys == 8 || keys == 9 else { throw .unexpected }
        try reader.key(Key.sequence)
        sequence = try reader.unsigned(upTo: UInt64(Int64.max))
        try reader.key(Key.previous)
        previous = try reader.hash()
        try reader.key(Key.device)
        device = DeviceID(bits: try reader.identifier())
        try reader.key(Key.n)
        n = try reader.unsigned(upTo: UInt64(Int64.max))
        try reader.key(Key.time)
        time = StoreTime(seconds: Int64(try reader.unsigned(upTo: LogLimits.latestTime)))
        try reader.key(Key.batchHash)
        batchHash = try reader.hash()
        switch try reader.unsigned() {
        case Key.operations:
            let start = reader.position
            body = .inline(try EncodedBatch.readOperations(&reader))
            let encoding = reader.slice(from: start)
            guard EncodedBatch.hash(device: device, n: n, operations: encoding) == batchHash else {
                throw .invalid("operations that are not the batch's")
            }
        case Key.spilled: body = .spilled(try SpilledOperations(from: &reader))
        default: throw .unexpected
        }
        guard keys == 9 else { return }
        try reader.key(Key.treeHash)
        treeHash = try reader.hash()
    }
}

extension CommitBody {
    fileprivate func encode(to writer: inout CBORWriter) {
        switch self {
        case .inline(let operations):
            writer.unsigned(LogEntry.Key.operations)
            writer.list(operations) { $1.encode(to: &$0) }
        case .spilled(let spilled):
            writer.unsigned(LogEntry.Key.spilled)
            writer.array(4)
            writer.hash(spilled.hash)
            writer.unsigned(spilled.sizeBytes)
            spilled.locator.encode(to: &writer)
            writer.unsigned(spilled.count)
        }
    }
}

extension SpilledOperations {
    fileprivate init(from reader: inout CBORReader) throws(CodingError) {
        try reader.array(of: 4)
        let hash = try reader.hash()
        let size = UInt32(try reader.unsigned(upTo: UInt64(LogLimits.operationsBytes)))
        let locator = try Locator(from: &reader)
        let count = UInt32(try reader.unsigned(upTo: UInt64(LogLimits.operations)))
        self.init(hash: hash, sizeBytes: size, locator: locator, count: count)
    }
}

extension CBORReader {
    fileprivate mutating func key(_ key: UInt64) throws(CodingError) {
        if try unsigned() != key { throw .unexpected }
    }
}
