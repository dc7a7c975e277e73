internal import CLinux
internal import Posix
internal import SandboxRules
internal import SystemPackage

/// The extended attributes of backing files, as a backup keeps them: Apple's names as apps know them, other
/// `user.` names whole, the mount's own marks not at all.
enum AttributeList {
    private static let listBytes = 64 << 10
    private static let valueBytes = 64 << 10

    /// What was read of an item.
    struct Contents {
        var attributes: [FileRecord.Attribute] = []
        /// One of them says *skip* (SandboxRules.SkipBackup).
        var isSkipped = false
    }

    /// Reads those of `name` in `directory`; none for an item or a file system that has none.
    static func read(_ directory: Int32, _ name: String) throws(Errno) -> Contents {
        var contents = Contents()
        for listed in try names(directory, name) {
            let bytes = Array(listed.utf8)
            let standing = bytes.withUnsafeBytes { AttributeName.standing(of: $0) }
            guard standing == .apple || (standing == .ordinary && listed.hasPrefix("user.")) else { continue }
            guard let value = try value(directory, name, listed) else { continue }
            let skips = bytes.withUnsafeBytes { name in
                value.withUnsafeBytes { SkipBackup.isSet(name: name, value: $0) }
            }
            contents.isSkipped = contents.isSkipped || skips
            let shown = standing == .apple ? String(listed.dropFirst("user.".count)) : listed
            contents.attributes.append(FileRecord.Attribute(name: shown, value: value))
        }
        contents.attributes.sort { $0.name < $1.name }
        return contents
    }

    /// The name of an item that is too long for a disk (SandboxRules.LongName); nil where it has none.
    /// - Parameter stored: the name under which it lies in `directory`.
    static func longName(ofStored stored: String, in directory: Int32) -> String? {
        var stored = stored
        return stored.withUTF8 { bytes in
            let bytes = UnsafeRawBufferPointer(bytes)
            guard let attribute = LongName.attribute(ofStored: bytes) else { return nil }
            let value = try? value(directory, String(decoding: bytes, as: UTF8.self), attribute)
            return value.flatMap { LongName.name($0, ofStored: bytes) }
        }
    }

    /// Keeps the last name of `path`, which `fd` holds, where that is too long for a disk.
    static func setLongName(of path: String, _ fd: Int32) throws(Errno) {
        let name = path.directoryAndName.name
        guard LongName.isLong(name) else { return }
        let stored = Array(LongName.stored(for: name).utf8)
        guard let attribute = stored.withUnsafeBytes({ LongName.attribute(ofStored: $0) }) else { return }
        let value = Array(name.utf8)
        try valueOrErrno(lx_setxattrat(fd, "", attribute, value, UInt64(value.count), 0))
    }

    /// Sets an attribute of a restored item.
    ///
    /// - Parameter path: below `directory`; "" is the directory, or whatever the descriptor holds.
    /// - Returns: false where it is left out: a file has no attribute of that name here, or none as long.
    static func set(
        _ attribute: FileRecord.Attribute, _ directory: Int32, _ path: String
    ) throws(Errno) -> Bool {
        guard let name = backingName(attribute.name) else { return isOwn(attribute.name) }
        let value = attribute.value
        let result = lx_setxattrat(directory, path, name, value, UInt64(value.count), 0)
        switch Errno(rawValue: -result) {
        case .operationNotSupported, .argListTooLong, .outOfRange: return false
        // A file system says so of a full disk, and of attributes that are too long together.
        case .noSpace where try hasRoom(directory): return false
        default: try valueOrErrno(result)
        }
        return true
    }

    /// Whether it is the mount's own, which is made anew and not restored.
    private static func isOwn(_ name: String) -> Bool {
        switch Array(name.utf8).withUnsafeBytes({ AttributeName.standing(of: $0) }) {
        case .status, .own: true
        case .apple, .ordinary: false
        }
    }

    private static func hasRoom(_ directory: Int32) throws(Errno) -> Bool {
        try freeBytes(on: directory) > 1 << 20
    }

    /// The name under which an attribute of a backup is stored; nil for one that is not restored.
    static func backingName(_ name: String) -> String? {
        let bytes = Array(name.utf8)
        guard !bytes.contains(0) else { return nil }
        let stored: String? =
            switch bytes.withUnsafeBytes({ AttributeName.standing(of: $0) }) {
            case .apple: name.hasPrefix("user.") ? name : "user.\(name)"
            case .ordinary: name.hasPrefix("user.") ? name : nil
            case .status, .own: nil
            }
        // XATTR_NAME_MAX
        return stored.flatMap { $0.utf8.count <= 255 ? $0 : nil }
    }

    private static func names(_ directory: Int32, _ name: String) throws(Errno) -> [String] {
        // Nearly every item has none: asked first for their size, which needs no memory.
        let size = lx_listxattrat(directory, name, nil, 0)
        if size == 0 || size == -Int64(Errno.operationNotSupported.rawValue) { return [] }
        try valueOrErrno(size)
        var list = [CChar](repeating: 0, count: listBytes)
        let count = try valueOrErrno(lx_listxattrat(directory, name, &list, UInt64(list.count)))
        return list[..<Int(count)].split(separator: 0).compactMap { part in
            String(validating: part.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }

    private static func value(_ directory: Int32, _ name: String, _ attribute: String) throws(Errno)
        -> [UInt8]?
    {
        var value = [UInt8](repeating: 0, count: valueBytes)
        let count = lx_getxattrat(directory, name, attribute, &value, UInt64(value.count))
        // ENODATA: removed meanwhile.
        if count == -61 { return nil }
        return Array(value[..<Int(try valueOrErrno(count))])
    }
}
