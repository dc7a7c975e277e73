extension KeyValueOperation {
    static let fieldCount = 4

    func encode(to writer: inout CBORWriter) {
        writer.array(Self.fieldCount + 1)
        writer.unsigned(Operation.Kind.keyValue)
        writer.text(key.text)
        writer.value(value)
        stamp.encode(to: &writer)
    }

    init(from reader: inout CBORReader) throws(CodingError) {
        let key = KeyName(try reader.text(upTo: LogLimits.keyBytes))
        let value = try reader.value()
        self.init(key: key, value: value, stamp: try KeyValueStamp(from: &reader))
    }
}

extension KeyValueRecord {
    static let fieldCount = 6

    func encode(to writer: inout CBORWriter) {
        writer.array(Self.fieldCount)
        writer.unsigned(SnapshotRecord.Kind.keyValue)
        writer.text(key.text)
        writer.value(value)
        stamp.encode(to: &writer)
        writer.identifier(device.bits)
    }

    init(from reader: inout CBORReader) throws(CodingError) {
        let key = KeyName(try reader.text(upTo: LogLimits.keyBytes))
        let value = try reader.value()
        let stamp = try KeyValueStamp(from: &reader)
        self.init(key: key, value: value, stamp: stamp, device: DeviceID(bits: try reader.identifier()))
    }
}

extension KeyValueStamp {
    fileprivate func encode(to writer: inout CBORWriter) {
        writer.signed(milliseconds)
        writer.unsigned(count)
    }

    fileprivate init(from reader: inout CBORReader) throws(CodingError) {
        let milliseconds = try reader.unsigned(upTo: LogLimits.latestTime * 1000)
        let count = try reader.unsigned(upTo: UInt64(UInt32.max))
        self.init(milliseconds: Int64(milliseconds), count: UInt32(count))
    }
}

extension CBORWriter {
    /// A value, or that there is none.
    fileprivate mutating func value(_ value: [UInt8]?) {
        list(value.map { [$0] } ?? []) { $0.byteString($1) }
    }
}

extension CBORReader {
    fileprivate mutating func value() throws(CodingError) -> [UInt8]? {
        try list(upTo: 1) { reader throws(CodingError) in
            try reader.byteString(upTo: LogLimits.valueBytes)
        }.first
    }
}
