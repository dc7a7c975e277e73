package import StoreBasics

extension Node {
    static let fieldCount = 11

    fileprivate enum State {
        static let live: UInt64 = 0
        static let withdrawn: UInt64 = 1
        static let deleted: UInt64 = 2
    }

    package func encode(to writer: inout CBORWriter) {
        writer.array(Self.fieldCount)
        writer.unsigned(SnapshotRecord.Kind.node)
        writer.identifier(id.bits)
        encodeState(to: &writer)
        writer.identifier(parent.bits)
        writer.text(wantedName)
        writer.text(name)
        place.encode(to: &writer)
        writer.optional(directory) { $1.encode(to: &$0) }
        writer.optional(current) { $1.encode(to: &$0) }
        writer.list(versions) { $1.encode(to: &$0) }
        writer.list(aliases) { $0.identifier($1.bits) }
    }

    private func encodeState(to writer: inout CBORWriter) {
        switch state {
        case .live: writer.unsigned(State.live)
        case .withdrawn: writer.unsigned(State.withdrawn)
        case .deleted(let since):
            writer.array(2)
            writer.unsigned(State.deleted)
            writer.signed(since.seconds)
        }
    }

    package init(from reader: inout CBORReader) throws(CodingError) {
        let id = try reader.file()
        if id == .root { throw .invalid("a row of the root") }
        let state = try NodeState(from: &reader)
        let parent = try reader.file()
        let wanted = try reader.text(upTo: LogLimits.nameBytes)
        let name = try reader.text(upTo: LogLimits.nameBytes)
        if !UsableName.isUsable(name) { throw .invalid("a row with a name that no disk takes") }
        let place = try Revision(from: &reader)
        let directory = try reader.optional { reader throws(CodingError) in try Attributes(from: &reader) }
        let current = try reader.optional { reader throws(CodingError) in try Version(from: &reader) }
        self.init(
            id: id, state: state, parent: parent, name: name, place: place, directory: directory,
            current: current)
        wantedName = wanted
        versions = try reader.list(Version.init(from:))
        aliases = try reader.list { reader throws(CodingError) in try reader.file() }
        try check()
    }

    /// What holds for each row by itself, whatever the others are.
    private func check() throws(CodingError) {
        let isSorted = zip(aliases, aliases.dropFirst()).allSatisfy { $0 < $1 }
        let isOrdered = zip(versions, versions.dropFirst()).allSatisfy { $0.position < $1.position }
        guard isSorted, isOrdered else { throw .notCanonical }
        let hasContents = current != nil || !versions.isEmpty
        let fits =
            switch state {
            case .live: isDirectory != (current != nil)
            case .deleted: !hasContents
            case .withdrawn: current != nil || versions.isEmpty
            }
        guard fits, !(isDirectory && hasContents) else { throw .invalid("a row that is two kinds") }
        guard !contents.contains(where: { $0.content == .directory }) else {
            throw .invalid("a directory as a version")
        }
    }
}

extension NodeState {
    fileprivate init(from reader: inout CBORReader) throws(CodingError) {
        if try reader.nextMajor() == 4 {
            try reader.array(of: 2)
            guard try reader.unsigned() == Node.State.deleted else { throw .unexpected }
            self = .deleted(try reader.time())
            return
        }
        switch try reader.unsigned() {
        case Node.State.live: self = .live
        case Node.State.withdrawn: self = .withdrawn
        default: throw .unexpected
        }
    }
}

extension Version {
    package func encode(to writer: inout CBORWriter) {
        writer.array(6)
        content.encode(to: &writer)
        attributes.encode(to: &writer)
        writer.revisions(revisions)
        writer.unsigned(position.sequence)
        writer.unsigned(position.index)
        writer.optional(withdrawn) { $0.signed($1.seconds) }
    }

    package init(from reader: inout CBORReader) throws(CodingError) {
        try reader.array(of: 6)
        let content = try Content(from: &reader)
        let attributes = try Attributes(from: &reader)
        let revisions = try reader.revisions()
        guard let first = revisions.first else { throw .invalid("a content that nobody made") }
        guard zip(revisions, revisions.dropFirst()).allSatisfy({ $0 < $1 }) else { throw .notCanonical }
        let sequence = try reader.unsigned(upTo: UInt64(Int64.max))
        let index = UInt32(try reader.unsigned(upTo: UInt64(UInt32.max)))
        self.init(
            content: content, attributes: attributes, revision: first,
            position: LogPosition(sequence: sequence, index: index))
        self.revisions = revisions
        withdrawn = try reader.optional { reader throws(CodingError) in try reader.time() }
    }
}

extension CBORWriter {
    /// An array of one or none.
    mutating func optional<Value>(_ value: Value?, _ body: (inout CBORWriter, Value) -> Void) {
        array(value == nil ? 0 : 1)
        if let value { body(&self, value) }
    }
}

extension CBORReader {
    mutating func optional<Value>(
        _ body: (inout CBORReader) throws(CodingError) -> Value
    ) throws(CodingError) -> Value? {
        try array(upTo: 1) == 0 ? nil : try body(&self)
    }

    package mutating func time() throws(CodingError) -> StoreTime {
        StoreTime(seconds: Int64(try unsigned(upTo: LogLimits.latestTime)))
    }
}
