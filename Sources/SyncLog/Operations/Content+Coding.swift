extension Content {
    private enum Kind {
        static let directory: UInt64 = 0
        static let file: UInt64 = 1
        static let symlink: UInt64 = 2
    }

    package func encode(to writer: inout CBORWriter) {
        switch self {
        case .directory:
            writer.array(1)
            writer.unsigned(Kind.directory)
        case .file(let file):
            writer.array(4)
            writer.unsigned(Kind.file)
            file.encode(to: &writer)
        case .symlink(let target):
            writer.array(2)
            writer.unsigned(Kind.symlink)
            writer.byteString(target)
        }
    }

    package init(from reader: inout CBORReader) throws(CodingError) {
        let count = try reader.array()
        switch (try reader.unsigned(), count) {
        case (Kind.directory, 1): self = .directory
        case (Kind.file, 4): self = .file(try FileContent(from: &reader))
        case (Kind.symlink, 2):
            self = .symlink(target: try reader.byteString(upTo: LogLimits.symlinkTargetBytes))
        default: throw .invalid("content of an unknown kind")
        }
    }
}

extension FileContent {
    fileprivate func encode(to writer: inout CBORWriter) {
        writer.hash(hash)
        writer.unsigned(sizeBytes)
        writer.list(chunks) { $1.encode(to: &$0) }
    }

    fileprivate init(from reader: inout CBORReader) throws(CodingError) {
        let hash = try reader.hash()
        let size = try reader.unsigned()
        let count = try reader.array()
        var chunks: [Chunk] = []
        chunks.reserveCapacity(count / 32)
        var sum: UInt64 = 0
        for _ in 0..<count {
            let chunk = try Chunk(from: &reader)
            // No overflow: a count is bounded by the bytes that are there, a length by its limit.
            sum += UInt64(chunk.sizeBytes)
            chunks.append(chunk)
        }
        if sum != size { throw .invalid("chunks that do not add up to their file") }
        self.init(hash: hash, sizeBytes: size, chunks: chunks)
    }
}

extension Chunk {
    /// What one takes in an operation at most.
    package static let encodedBytes = 64

    package func encode(to writer: inout CBORWriter) {
        writer.array(3)
        writer.hash(hash)
        writer.unsigned(sizeBytes)
        locator.encode(to: &writer)
    }

    package init(from reader: inout CBORReader) throws(CodingError) {
        try reader.array(of: 3)
        let hash = try reader.hash()
        let size = try reader.unsigned(upTo: LogLimits.chunkBytes)
        if size == 0 { throw .invalid("an empty chunk") }
        self.init(hash: hash, sizeBytes: UInt32(size), locator: try Locator(from: &reader))
    }
}

extension Locator {
    /// As it stands in the log.
    package var encoding: [UInt8] {
        var writer = CBORWriter(capacity: 32)
        encode(to: &writer)
        return writer.bytes
    }

    /// A number is an object's, an array a pack's.
    package func encode(to writer: inout CBORWriter) {
        switch self {
        case .object(let random): writer.unsigned(random)
        case .pack(let id, let offset):
            writer.array(2)
            writer.identifier(id.value)
            writer.unsigned(offset)
        }
    }

    package init(from reader: inout CBORReader) throws(CodingError) {
        guard try reader.nextMajor() == 4 else {
            self = .object(try reader.unsigned())
            return
        }
        try reader.array(of: 2)
        let id = try reader.identifier()
        self = .pack(Bits128(id), offset: UInt32(try reader.unsigned(upTo: UInt64(UInt32.max))))
    }
}

extension Attributes {
    package func encode(to writer: inout CBORWriter) {
        writer.array(3)
        writer.unsigned(mode)
        writer.signed(modified)
        writer.list(extended) { $1.encode(to: &$0) }
    }

    package init(from reader: inout CBORReader) throws(CodingError) {
        try reader.array(of: 3)
        let mode = UInt16(try reader.unsigned(upTo: 0o7777))
        let modified = try reader.signed()
        let extended = try reader.list(
            upTo: LogLimits.extendedAttributes, ExtendedAttribute.init(from:))
        let isSorted = zip(extended, extended.dropFirst()).allSatisfy { attribute, next in
            attribute.name.utf8.lexicographicallyPrecedes(next.name.utf8)
        }
        guard isSorted else { throw .notCanonical }
        self.init(mode: mode, modified: modified, extended: extended)
    }
}

extension ExtendedAttribute {
    package func encode(to writer: inout CBORWriter) {
        writer.array(2)
        writer.text(name)
        writer.byteString(value)
    }

    package init(from reader: inout CBORReader) throws(CodingError) {
        try reader.array(of: 2)
        let name = try reader.text(upTo: LogLimits.attributeNameBytes)
        self.init(name: name, value: try reader.byteString(upTo: LogLimits.attributeValueBytes))
    }
}
