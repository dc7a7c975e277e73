internal import CLinux
internal import Posix
internal import SandboxRules
internal import SystemPackage

/// The extended attributes of an item that travel, by Apple's names, and whether it is flagged.
public struct AppleAttributes: Equatable, Sendable {
    public struct Attribute: Equatable, Sendable {
        public let name: [UInt8]
        public let value: [UInt8]

        public init(name: [UInt8], value: [UInt8]) {
            self.name = name
            self.value = value
        }
    }

    /// Ascending by the bytes of their names; without the flag's.
    public var travelling: [Attribute] = []
    /// Carries a skip-backup flag that is set (SPEC 4).
    public var isFlagged = false

    public init() {}
}

extension AppleAttributes {
    /// One call where an item has no attributes, which is most.
    init(_ directory: Int32, _ name: UnsafePointer<CChar>) throws(Errno) {
        var attributes = AppleAttributes()
        try withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 1) { (buffer) throws(Errno) in
            let count = lx_listxattrat(
                directory, name, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), UInt64(buffer.count)
            )
            if count == 0 || count == -Int64(Errno.operationNotSupported.rawValue) { return }
            let list = UnsafeRawBufferPointer(rebasing: buffer[..<Int(try valueOrErrno(count))])
            for part in list.split(separator: 0) {
                let bytes = UnsafeRawBufferPointer(rebasing: part)
                let longName = LongName.travellingName(ofAttribute: bytes)
                guard longName != nil || AttributeName.standing(of: bytes) == .apple else { continue }
                guard let value = try Self.read(bytes, directory, name) else { continue }
                if let longName {
                    attributes.travelling.append(.init(name: Array(longName.utf8), value: value))
                } else if SkipBackup.isFlag(bytes) {
                    let isSet = value.withUnsafeBytes { SkipBackup.isSet(name: bytes, value: $0) }
                    if isSet { attributes.isFlagged = true }
                } else if let listed = AttributeName.listedName(forBacking: bytes, prefixed: false) {
                    attributes.travelling.append(.init(name: Array(listed), value: value))
                }
            }
        }
        if attributes.travelling.count > 1 {
            attributes.travelling.sort { $0.name.lexicographicallyPrecedes($1.name) }
        }
        self = attributes
    }

    /// nil where it went since it was listed.
    private static func read(
        _ attribute: UnsafeRawBufferPointer, _ directory: Int32, _ name: UnsafePointer<CChar>
    ) throws(Errno) -> [UInt8]? {
        // XATTR_SIZE_MAX.
        var value = [UInt8](repeating: 0, count: 64 << 10)
        let count = AttributeName.withBackingName(of: attribute) {
            lx_getxattrat(directory, name, $0, &value, UInt64(value.count))
        }
        if count == -Int64(Errno.noData.rawValue) { return nil }
        return Array(value[..<Int(try valueOrErrno(count))])
    }

    /// Makes the travelling attributes of an item these, and leaves the flag alone.
    /// - Throws: EPERM for a name that does not travel; ENOSPC and others of setxattr(2).
    static func write(
        _ wanted: [Attribute], _ directory: Int32, _ name: UnsafePointer<CChar>
    ) throws(Errno) {
        let present = try AppleAttributes(directory, name).travelling
        for old in present where !wanted.contains(where: { $0.name == old.name }) {
            try withBackingName(of: old) { (backing) throws(Errno) in
                _ = try valueOrErrno(lx_removexattrat(directory, name, backing))
            }
        }
        for new in wanted where !present.contains(new) {
            try withBackingName(of: new) { (backing) throws(Errno) in
                _ = try valueOrErrno(
                    lx_setxattrat(directory, name, backing, new.value, UInt64(new.value.count), 0))
            }
        }
    }

    /// The names come from other devices: only those that may travel are believed.
    private static func withBackingName(
        of attribute: Attribute, _ body: (UnsafePointer<CChar>) throws(Errno) -> Void
    ) throws(Errno) {
        try attribute.name.withUnsafeBufferPointer { (name) throws(Errno) in
            let bytes = UnsafeRawBufferPointer(name)
            guard AttributeName.standing(of: bytes) == .apple, !SkipBackup.isFlag(bytes),
                !bytes.contains(0)
            else { throw .notPermitted }
            if let longName = LongName.attribute(ofTravelling: bytes) {
                return try longName.withFileName { (name) throws(Errno) in try body(name.cString) }
            }
            try AttributeName.withBackingName(of: bytes, body)
        }
    }

    /// Whether the item itself carries a skip-backup flag (SPEC 4).
    static func isFlagged(_ directory: Int32, _ name: UnsafePointer<CChar>) -> Bool {
        // Most items have no attributes at all.
        if lx_listxattrat(directory, name, nil, 0) == 0 { return false }
        for flag in [SkipBackup.mobileBackup, SkipBackup.excludeItem] {
            let flagName = UnsafeRawBufferPointer(start: flag.utf8Start, count: flag.utf8CodeUnitCount)
            let isSet = AttributeName.withBackingName(of: flagName) { backingName in
                withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
                    let count = lx_getxattrat(directory, name, backingName, buffer.baseAddress, 256)
                    if count == -Int64(Errno.outOfRange.rawValue) { return true }
                    guard count >= 0 else { return false }
                    let value = UnsafeRawBufferPointer(rebasing: buffer[..<Int(count)])
                    return SkipBackup.isSet(name: flagName, value: value)
                }
            }
            if isSet { return true }
        }
        return false
    }
}
