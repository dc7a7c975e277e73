internal import SandboxRules

/// The members of an archived MBFile, as far as they are of the right type. Only they are looked at, where
/// they lie: a backup has half a million.
struct ArchivedFile {
    private(set) var mode: Int64?
    private(set) var size: Int64?
    private(set) var modified: Int64?
    private(set) var changed: Int64?
    private(set) var birth: Int64?
    private(set) var userID: Int64?
    private(set) var groupID: Int64?
    private(set) var inode: Int64?
    private(set) var protection: Int64?
    private(set) var relativePath: String?
    private(set) var target: String?
    private(set) var digest: [UInt8]?
    private(set) var encryptionKey: [UInt8]?
    /// A property list.
    private(set) var attributes: [UInt8]?

    init(_ archive: BinaryPlistObjects) throws(BinaryPlistError) {
        guard let objects = try Archive(archive), let file = objects.topObject else {
            throw BinaryPlistError("no archive of a file")
        }
        try archive.forEachMember(at: file) { (key, value) throws(BinaryPlistError) in
            try take(key, value, objects)
        }
    }

    /// - Parameter value: where the value begins.
    private mutating func take(
        _ key: UnsafeRawBufferPointer, _ value: Int, _ objects: Archive
    ) throws(BinaryPlistError) {
        switch key {
        case _ where key.isEqual(to: "Mode"): try Self.fill(&mode, value, objects.integer)
        case _ where key.isEqual(to: "Size"): try Self.fill(&size, value, objects.integer)
        case _ where key.isEqual(to: "LastModified"): try Self.fill(&modified, value, objects.integer)
        case _ where key.isEqual(to: "LastStatusChange"): try Self.fill(&changed, value, objects.integer)
        case _ where key.isEqual(to: "Birth"): try Self.fill(&birth, value, objects.integer)
        case _ where key.isEqual(to: "UserID"): try Self.fill(&userID, value, objects.integer)
        case _ where key.isEqual(to: "GroupID"): try Self.fill(&groupID, value, objects.integer)
        case _ where key.isEqual(to: "InodeNumber"): try Self.fill(&inode, value, objects.integer)
        case _ where key.isEqual(to: "ProtectionClass"): try Self.fill(&protection, value, objects.integer)
        case _ where key.isEqual(to: "RelativePath"): try Self.fill(&relativePath, value, objects.text)
        case _ where key.isEqual(to: "Target"): try Self.fill(&target, value, objects.text)
        case _ where key.isEqual(to: "Digest"): try Self.fill(&digest, value, objects.data)
        case _ where key.isEqual(to: "EncryptionKey"): try Self.fill(&encryptionKey, value, objects.data)
        case _ where key.isEqual(to: "ExtendedAttributes"): try Self.fill(&attributes, value, objects.data)
        default: break
        }
    }

    /// Of two members of one name the first counts.
    private static func fill<T>(
        _ member: inout T?, _ value: Int, _ read: (Int) throws(BinaryPlistError) -> T?
    ) throws(BinaryPlistError) {
        if member == nil { member = try read(value) }
    }
}

/// Objects that NSKeyedArchiver has tied together by UIDs: places in one list. All functions take where an
/// object begins, and give nil for another type.
private struct Archive {
    private let all: BinaryPlistObjects
    private let list: BinaryPlistObjects.References
    /// Where the object begins that the archive is of.
    private(set) var topObject: Int?

    /// - Returns: nil for a property list that is no archive.
    init?(_ all: BinaryPlistObjects) throws(BinaryPlistError) {
        var (archiver, objects, top): (Int?, Int?, Int?) = (nil, nil, nil)
        try all.forEachMember(at: try all.start(of: all.top)) { (key, value) throws(BinaryPlistError) in
            if key.isEqual(to: "$archiver") { archiver = value }
            if key.isEqual(to: "$objects") { objects = value }
            if key.isEqual(to: "$top") { top = value }
        }
        guard let archiver, all.marker(at: archiver) >> 4 == 0x5,
            try all.content(at: archiver).isEqual(to: "NSKeyedArchiver"), let objects, let top,
            all.marker(at: objects) >> 4 == 0xA
        else { return nil }
        self.all = all
        list = try all.references(at: objects, parts: 1)
        var root: Int?
        try all.forEachMember(at: top) { (key, value) throws(BinaryPlistError) in
            if key.isEqual(to: "root") { root = value }
        }
        if let root { topObject = try object(root) }
    }

    /// Where the object begins that a UID refers to.
    private func object(_ uid: Int) throws(BinaryPlistError) -> Int? {
        guard all.marker(at: uid) >> 4 == 0x8 else { return nil }
        let number = Int(try all.uid(at: uid))
        return number < list.count ? try all.start(of: try all.number(number, of: list)) : nil
    }

    func integer(_ start: Int) throws(BinaryPlistError) -> Int64? {
        all.marker(at: start) >> 4 == 0x1 ? try all.integer(at: start) : nil
    }

    /// A string, in place or referred to.
    func text(_ start: Int) throws(BinaryPlistError) -> String? {
        let start = try object(start) ?? start
        switch all.marker(at: start) >> 4 {
        case 0x5: return String(decoding: try all.content(at: start), as: UTF8.self)
        case 0x6: return String(utf16: try all.content(at: start, unitBytes: 2))
        default: return nil
        }
    }

    /// Bytes, in place, referred to, or in an NSData that is referred to.
    func data(_ start: Int) throws(BinaryPlistError) -> [UInt8]? {
        var start = try object(start) ?? start
        try all.forEachMember(at: start) { (key, value) throws(BinaryPlistError) in
            if key.isEqual(to: "NS.data") { start = value }
        }
        return all.marker(at: start) >> 4 == 0x4 ? Array(try all.content(at: start)) : nil
    }
}

extension BinaryPlistObjects {
    /// A device's records have some twenty.
    private static var membersLimit: Int { 200 }

    /// Calls `body` with each key of ASCII of a dictionary, and where its value begins. No calls for what is
    /// no dictionary.
    fileprivate func forEachMember(
        at start: Int, _ body: (UnsafeRawBufferPointer, Int) throws(BinaryPlistError) -> Void
    ) throws(BinaryPlistError) {
        guard marker(at: start) >> 4 == 0xD else { return }
        let members = try references(at: start, parts: 2)
        guard members.count <= Self.membersLimit else { throw .tooLarge }
        for index in 0..<members.count {
            let key = try self.start(of: try number(index, of: members))
            guard marker(at: key) >> 4 == 0x5 else { continue }
            let value = try self.start(of: try number(members.count + index, of: members))
            try body(try content(at: key), value)
        }
    }
}
