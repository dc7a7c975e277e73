extension Operation {
    /// The first value of an operation's array; the numbers are the format's.
    enum Kind {
        static let create: UInt64 = 0
        static let edit: UInt64 = 1
        static let move: UInt64 = 2
        static let setAttributes: UInt64 = 3
        static let delete: UInt64 = 4
        static let withdraw: UInt64 = 5
        static let resolve: UInt64 = 6
        static let relocate: UInt64 = 7
        static let require: UInt64 = 8
        static let account: UInt64 = 9
        static let endHistory: UInt64 = 10
        static let keyValue: UInt64 = 11
    }

    /// Of operations that change a tree. (Of the account's there may be words that nobody here knows.)
    static let kindsOfTree = Array(Kind.create...Kind.relocate) + [Kind.endHistory]

    package func encode(to writer: inout CBORWriter) {
        switch self {
        case .create(let creation): creation.encode(to: &writer)
        case .edit(let edit): edit.encode(to: &writer)
        case .move(let file, let parent, let name):
            writer.operation(Kind.move, fields: 3, file)
            writer.identifier(parent.bits)
            writer.text(name)
        case .setAttributes(let file, let attributes):
            writer.operation(Kind.setAttributes, fields: 2, file)
            attributes.encode(to: &writer)
        case .delete(let deletion):
            writer.operation(Kind.delete, fields: 3, deletion.file)
            deletion.place.encode(to: &writer)
            writer.revisions(deletion.contents)
        case .withdraw(let file, let contents):
            writer.operation(Kind.withdraw, fields: 2, file)
            writer.revisions(contents)
        case .resolve(let resolution):
            writer.operation(Kind.resolve, fields: 3, resolution.file)
            resolution.keep.encode(to: &writer)
            writer.revisions(resolution.contents)
        case .relocate(let relocations): Self.encode(relocations, to: &writer)
        case .endHistory(let ended): Self.encode(ended, to: &writer)
        case .require(let feature):
            writer.array(2)
            writer.unsigned(Kind.require)
            writer.text(feature)
        case .account(let operation):
            writer.array(2)
            writer.unsigned(Kind.account)
            operation.encode(to: &writer)
        case .keyValue(let operation): operation.encode(to: &writer)
        case .unknown(let kind):
            writer.array(1)
            writer.unsigned(kind)
        }
    }

    private static func encode(_ ended: [EndedHistory], to writer: inout CBORWriter) {
        writer.array(2)
        writer.unsigned(Kind.endHistory)
        writer.list(ended) { writer, item in
            writer.array(2)
            writer.identifier(item.file.bits)
            writer.revisions(item.contents)
        }
    }

    private static func encode(_ relocations: [Relocation], to writer: inout CBORWriter) {
        writer.array(2)
        writer.unsigned(Kind.relocate)
        writer.list(relocations) { writer, relocation in
            writer.array(2)
            writer.hash(relocation.chunk)
            relocation.locator.encode(to: &writer)
        }
    }
}

extension Operation {
    /// A kind of a later version becomes `.unknown`; a known kind with other fields is an error, for a later
    /// version that needs more gives it another number.
    package init(from reader: inout CBORReader) throws(CodingError) {
        let count = try reader.array()
        guard count > 0 else { throw .unexpected }
        let kind = try reader.unsigned()
        guard let fields = Self.fieldCount(kind) else {
            for _ in 1..<count { try reader.skip() }
            self = .unknown(kind: kind)
            return
        }
        if fields != count - 1 { throw .unexpected }
        self = try Self.decode(kind, &reader)
    }

    private static func fieldCount(_ kind: UInt64) -> Int? {
        switch kind {
        case Kind.create: 5
        case Kind.edit: 6
        case Kind.move, Kind.delete, Kind.resolve: 3
        case Kind.setAttributes, Kind.withdraw: 2
        case Kind.relocate, Kind.require, Kind.account, Kind.endHistory: 1
        case Kind.keyValue: KeyValueOperation.fieldCount
        default: nil
        }
    }

    private static func decode(_ kind: UInt64, _ reader: inout CBORReader) throws(CodingError) -> Operation {
        switch kind {
        case Kind.create: return .create(try Creation(from: &reader))
        case Kind.edit: return .edit(try Edit(from: &reader))
        case Kind.move:
            let file = try reader.file()
            let parent = try reader.file()
            return .move(file: file, parent: parent, name: try reader.text(upTo: LogLimits.nameBytes))
        case Kind.setAttributes:
            let file = try reader.file()
            return .setAttributes(file: file, try Attributes(from: &reader))
        case Kind.delete:
            let file = try reader.file()
            let place = try Revision(from: &reader)
            return .delete(Deletion(file: file, place: place, contents: try reader.revisions()))
        case Kind.withdraw:
            let file = try reader.file()
            return .withdraw(file: file, contents: try reader.revisions())
        case Kind.resolve:
            let file = try reader.file()
            let keep = try Revision(from: &reader)
            return .resolve(Resolution(file: file, keep: keep, contents: try reader.revisions()))
        case Kind.relocate: return .relocate(try relocations(&reader))
        case Kind.endHistory: return .endHistory(try endedHistories(&reader))
        case Kind.keyValue: return .keyValue(try KeyValueOperation(from: &reader))
        case Kind.require: return .require(feature: try reader.text(upTo: LogLimits.featureBytes))
        case Kind.account:
            return try AccountOperation.decode(&reader).map(Operation.account) ?? .unknown(kind: kind)
        default: return .unknown(kind: kind)
        }
    }

    private static func endedHistories(_ reader: inout CBORReader) throws(CodingError) -> [EndedHistory] {
        try reader.list { reader throws(CodingError) in
            try reader.array(of: 2)
            let file = try reader.file()
            return EndedHistory(file: file, contents: try reader.revisions())
        }
    }

    private static func relocations(_ reader: inout CBORReader) throws(CodingError) -> [Relocation] {
        try reader.list { reader throws(CodingError) in
            try reader.array(of: 2)
            let chunk = try reader.hash()
            return Relocation(chunk: chunk, locator: try Locator(from: &reader))
        }
    }
}

extension Creation {
    fileprivate func encode(to writer: inout CBORWriter) {
        writer.operation(Operation.Kind.create, fields: 5, file)
        writer.identifier(parent.bits)
        writer.text(name)
        content.encode(to: &writer)
        attributes.encode(to: &writer)
    }

    fileprivate init(from reader: inout CBORReader) throws(CodingError) {
        let file = try reader.file()
        let parent = try reader.file()
        let name = try reader.text(upTo: LogLimits.nameBytes)
        let content = try Content(from: &reader)
        self.init(
            file: file, parent: parent, name: name, content: content,
            attributes: try Attributes(from: &reader))
    }
}

extension Edit {
    fileprivate func encode(to writer: inout CBORWriter) {
        writer.operation(Operation.Kind.edit, fields: 6, file)
        base.encode(to: &writer)
        content.encode(to: &writer)
        attributes.encode(to: &writer)
        writer.identifier(parent.bits)
        writer.text(name)
    }

    fileprivate init(from reader: inout CBORReader) throws(CodingError) {
        let file = try reader.file()
        let base = try Revision(from: &reader)
        let content = try Content(from: &reader)
        let attributes = try Attributes(from: &reader)
        let parent = try reader.file()
        self.init(
            file: file, base: base, content: content, attributes: attributes, parent: parent,
            name: try reader.text(upTo: LogLimits.nameBytes))
    }
}
