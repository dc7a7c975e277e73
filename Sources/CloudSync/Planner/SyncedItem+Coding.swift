internal import SyncLog

/// Rows of the synced tree as they lie in the database. No other device sees them.
extension SyncedItem {
    private enum Flag {
        static let besideExcluded: UInt64 = 1
        static let dataless: UInt64 = 2
        static let lingering: UInt64 = 4
    }

    private var flags: UInt64 {
        (isBesideExcluded ? Flag.besideExcluded : 0) | (isDataless ? Flag.dataless : 0)
            | (isLingering ? Flag.lingering : 0)
    }

    var record: [UInt8] {
        var writer = CBORWriter()
        writer.array(11)
        writer.identifier(file.bits)
        writer.identifier(parent.bits)
        writer.text(name)
        place.encode(to: &writer)
        switch kind {
        case .file: writer.unsigned(0 as UInt64)
        case .directory: writer.unsigned(1 as UInt64)
        case .symlink(let target): writer.byteString(target)
        }
        writer.revisions(revision.map { [$0] } ?? [])
        if let hash { writer.hash(hash) } else { writer.unsigned(0 as UInt64) }
        fingerprint.encode(to: &writer)
        attributes.encode(to: &writer)
        writer.unsigned(flags)
        // Few rows have them, and earlier versions of this format none.
        writer.array(shown.isEmpty ? 0 : 1)
        if !shown.isEmpty { writer.revisions(shown) }
        return writer.bytes
    }

    init(record: [UInt8]) throws(CodingError) {
        var reader = CBORReader(record)
        try reader.array(of: 11)
        let file = try reader.file()
        let parent = try reader.file()
        let name = try reader.text(upTo: .max)
        let place = try Revision(from: &reader)
        let kind: LocalItem.Kind
        if try reader.nextMajor() == 2 {
            kind = .symlink(target: try reader.byteString(upTo: .max))
        } else {
            kind = try reader.unsigned(upTo: 1) == 0 ? .file : .directory
        }
        let revision = try reader.revisions().first
        let hash = try reader.optionalHash()
        let fingerprint = try Fingerprint(from: &reader)
        self.init(
            file: file, parent: parent, name: name, place: place, kind: kind, revision: revision, hash: hash,
            fingerprint: fingerprint, attributes: try Attributes(from: &reader))
        let flags = try reader.unsigned()
        isBesideExcluded = flags & Flag.besideExcluded != 0
        isDataless = flags & Flag.dataless != 0
        isLingering = flags & Flag.lingering != 0
        if try reader.array(upTo: 1) == 1 { shown = try reader.revisions() }
    }
}

extension DisplacedItem {
    var record: [UInt8] {
        var writer = CBORWriter()
        writer.array(layer > 0 ? 10 : 8)
        writer.text(name)
        fingerprint.encode(to: &writer)
        writer.identifier(file.bits)
        base.encode(to: &writer)
        writer.hash(hash)
        writer.identifier(parent.bits)
        writer.text(itemName)
        if let sent { writer.hash(sent) } else { writer.unsigned(0 as UInt64) }
        guard layer > 0 else { return writer.bytes }
        writer.unsigned(layer)
        rowFingerprint.encode(to: &writer)
        return writer.bytes
    }

    init(record: [UInt8]) throws(CodingError) {
        var reader = CBORReader(record)
        let count = try reader.array()
        guard count == 8 || count == 10 else { throw .unexpected }
        let name = try reader.text(upTo: .max)
        let fingerprint = try Fingerprint(from: &reader)
        let file = try reader.file()
        let base = try Revision(from: &reader)
        let hash = try reader.hash()
        let parent = try reader.file()
        self.init(
            name: name, fingerprint: fingerprint, file: file, base: base, hash: hash, parent: parent,
            itemName: try reader.text(upTo: .max))
        sent = try reader.optionalHash()
        guard count == 10 else { return }
        layer = try reader.unsigned(upTo: .max)
        rowFingerprint = try Fingerprint(from: &reader)
    }
}

extension Fingerprint {
    func encode(to writer: inout CBORWriter) {
        writer.array(6)
        writer.unsigned(device)
        writer.unsigned(inode)
        writer.signed(birth)
        writer.unsigned(sizeBytes)
        writer.signed(modified)
        writer.signed(changed)
    }

    init(from reader: inout CBORReader) throws(CodingError) {
        try reader.array(of: 6)
        self.init(
            device: try reader.unsigned(), inode: try reader.unsigned(), birth: try reader.signed(),
            sizeBytes: try reader.unsigned(), modified: try reader.signed(), changed: try reader.signed())
    }
}

extension CBORReader {
    /// A 0 stands for none.
    fileprivate mutating func optionalHash() throws(CodingError) -> ContentHash? {
        if try nextMajor() == 2 { return try hash() }
        _ = try unsigned(upTo: 0)
        return nil
    }
}
