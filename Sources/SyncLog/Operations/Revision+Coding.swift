extension Revision {
    package func encode(to writer: inout CBORWriter) {
        writer.array(3)
        writer.identifier(device.bits)
        writer.unsigned(n)
        writer.unsigned(index)
    }

    package init(from reader: inout CBORReader) throws(CodingError) {
        try reader.array(of: 3)
        let device = DeviceID(bits: try reader.identifier())
        let n = try reader.unsigned()
        self.init(device: device, n: n, index: UInt32(try reader.unsigned(upTo: UInt64(UInt32.max))))
    }
}

extension CBORWriter {
    /// The head of an operation on an item; its other fields follow.
    mutating func operation(_ kind: UInt64, fields: Int, _ file: FileID) {
        array(fields + 1)
        unsigned(kind)
        identifier(file.bits)
    }

    package mutating func revisions(_ revisions: [Revision]) {
        list(revisions) { $1.encode(to: &$0) }
    }
}

extension CBORReader {
    package mutating func file() throws(CodingError) -> FileID { FileID(bits: try identifier()) }

    package mutating func revisions() throws(CodingError) -> [Revision] { try list(Revision.init(from:)) }
}
