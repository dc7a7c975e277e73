/// `MBFile` as devices archive it (NSKeyedArchiver): objects in a list, tied together by UIDs.
///
/// The MBFile's dictionary stands at index 1, where readers expect it without following `$top`.
extension FileRecord {
    private static let archiveVersion: Int64 = 100_000
    /// Paths, targets and attributes of one item; a device's are far smaller.
    private static let limits = BinaryPlistReader.Limits(sizeBytes: 4 << 20, depth: 12, values: 4_000)

    /// The record's bytes, as column `file` holds them.
    var archived: [UInt8] {
        var objects = ArchiveObjects()
        var members: [BinaryPlistMember] = [
            BinaryPlistMember("LastModified", .integer(modifiedSeconds)),
            BinaryPlistMember("Flags", .integer(0)),
            BinaryPlistMember("GroupID", .integer(groupID)),
            BinaryPlistMember("LastStatusChange", .integer(changedSeconds)),
            BinaryPlistMember("Birth", .integer(birthSeconds)),
            BinaryPlistMember("Size", .integer(sizeBytes)),
            BinaryPlistMember("InodeNumber", .integer(Int64(bitPattern: inode))),
            BinaryPlistMember("Mode", .integer(Int64(mode))),
            BinaryPlistMember("UserID", .integer(userID)),
            BinaryPlistMember("ProtectionClass", .integer(Int64(protectionClass))),
            BinaryPlistMember("RelativePath", objects.add(.string(relativePath))),
        ]
        if let target { members.append(BinaryPlistMember("Target", objects.add(.string(target)))) }
        if let digest { members.append(BinaryPlistMember("Digest", .data(digest))) }
        if let encryptionKey {
            members.append(BinaryPlistMember("EncryptionKey", objects.add(data: encryptionKey)))
        }
        if !attributes.isEmpty {
            let list = attributes.map { BinaryPlistMember($0.name, .data($0.value)) }
            let bytes = BinaryPlistWriter.bytes(of: .dictionary(list))
            members.append(BinaryPlistMember("ExtendedAttributes", objects.add(data: bytes)))
        }
        members.append(BinaryPlistMember("$class", objects.add(class: ["MBFile", "NSObject"])))
        return BinaryPlistWriter.bytes(
            of: .dictionary([
                BinaryPlistMember("$version", .integer(Self.archiveVersion)),
                BinaryPlistMember("$archiver", .string("NSKeyedArchiver")),
                BinaryPlistMember("$top", .dictionary([BinaryPlistMember("root", .uid(1))])),
                BinaryPlistMember("$objects", .array(objects.list(with: .dictionary(members)))),
            ]))
    }

    /// Reads what column `file` holds. `Mode` and `Size` must be there and make sense, the rest may be
    /// missing.
    init(archived bytes: [UInt8]) throws(BinaryPlistError) {
        guard bytes.count <= Self.limits.sizeBytes else { throw .tooLarge }
        let file = try bytes.withUnsafeBufferPointer { (bytes) throws(BinaryPlistError) in
            try ArchivedFile(BinaryPlistObjects(UnsafeRawBufferPointer(bytes)))
        }
        guard let mode = file.mode, (0...0xFFFF).contains(mode) else {
            throw BinaryPlistError("without the file's mode")
        }
        guard let size = file.size, size >= 0 else { throw BinaryPlistError("without the file's size") }
        self.init(mode: UInt32(mode), sizeBytes: size)
        modifiedSeconds = file.modified ?? 0
        changedSeconds = file.changed ?? 0
        birthSeconds = file.birth ?? 0
        userID = file.userID ?? Self.mobile
        groupID = file.groupID ?? Self.mobile
        inode = UInt64(bitPattern: file.inode ?? 0)
        protectionClass = UInt32(exactly: file.protection ?? 0) ?? 0
        relativePath = file.relativePath ?? ""
        target = file.target
        encryptionKey = file.encryptionKey
        digest = file.digest
        attributes = try Self.attributes(file.attributes)
    }

    private static func attributes(_ bytes: [UInt8]?) throws(BinaryPlistError) -> [Attribute] {
        guard let bytes, !bytes.isEmpty else { return [] }
        guard case .dictionary(let members) = try BinaryPlistReader.value(of: bytes, limits: limits) else {
            throw BinaryPlistError("without names of attributes")
        }
        return try members.map { (member) throws(BinaryPlistError) in
            guard let value = member.value.bytes else { throw BinaryPlistError("an attribute without bytes") }
            return Attribute(name: member.key, value: value)
        }
    }
}

/// Objects of an archive that is being written: `$null`, the top object, then these.
private struct ArchiveObjects {
    private var added: [BinaryPlistValue] = []
    private static let reserved = 2

    mutating func add(_ value: BinaryPlistValue) -> BinaryPlistValue {
        added.append(value)
        return .uid(UInt32(Self.reserved + added.count - 1))
    }

    mutating func add(data: [UInt8]) -> BinaryPlistValue {
        let type = add(class: ["NSMutableData", "NSData", "NSObject"])
        return add(
            .dictionary([BinaryPlistMember("$class", type), BinaryPlistMember("NS.data", .data(data))]))
    }

    /// - Parameter names: the class itself, then what it inherits from.
    mutating func add(class names: [String]) -> BinaryPlistValue {
        add(
            .dictionary([
                BinaryPlistMember("$classname", .string(names.first ?? "")),
                BinaryPlistMember("$classes", .array(names.map { .string($0) })),
            ]))
    }

    func list(with top: BinaryPlistValue) -> [BinaryPlistValue] { [.string("$null"), top] + added }
}
