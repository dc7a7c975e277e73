internal import CLinux
internal import Databases
internal import Posix
internal import SandboxRules
internal import SystemPackage

/// An item that the walk has met: what is known of it without opening it.
public struct WalkedItem {
    /// From the home's top; fit for `Finding`.
    let path: String
    let name: String
    let area: Area
    let stamp: ItemStamp
    /// Whether it lies in an area's own directory.
    let isTop: Bool
    /// Whether a directory above it has a name that begins with a dot.
    let isBelowHidden: Bool
    /// Whether a directory above it is kept out of backups.
    let isBelowExcluded: Bool
    let directory: Int32

    var isHidden: Bool { name.utf8.first == UInt8(ascii: ".") }

    private static let databaseExtensions: Set<String> = [
        "sqlite", "sqlite3", "sqlitedb", "db", "db3", "realm",
    ]
    var isDatabaseByName: Bool { Self.databaseExtensions.contains(name.lowercasedExtension) }

    /// Whether a backup leaves it out: by the flag, its own or one above, or by its place.
    func isExcludedFromBackup() -> Bool {
        isBelowExcluded || BackupRule.exclusion(of: path, kind: kind) != nil
            || SkipFlag.isSet(directory, name)
    }

    private var kind: ItemKind {
        if stamp.isRegular { return .file }
        if stamp.isDirectory { return .directory }
        return stamp.isSymlink ? .symlink : .special
    }
}

/// The skip-backup flag of an item, read through the mount.
enum SkipFlag {
    private static let names = ["\(SkipBackup.excludeItem)", "\(SkipBackup.mobileBackup)"]

    static func isSet(_ directory: Int32, _ name: String) -> Bool {
        names.contains { attribute in
            var value = [UInt8](repeating: 0, count: 64)
            let size = lx_getxattrat(directory, name, attribute, &value, UInt64(value.count))
            // A value that is longer is one that tools write: it is there.
            if size == -Int64(Errno.outOfRange.rawValue) { return true }
            guard size >= 0 else { return false }
            return Array(attribute.utf8).withUnsafeBytes { attribute in
                value.withUnsafeBytes {
                    SkipBackup.isSet(name: attribute, value: .init(rebasing: $0[..<Int(size)]))
                }
            }
        }
    }
}

/// A regular file that the walk has opened.
public final class WalkedFile {
    let item: WalkedItem
    let descriptor: Descriptor
    /// When it was opened.
    let sizeBytes: UInt64
    /// The first bytes.
    let header: [UInt8]

    static let headerBytes = 512

    /// - Returns: nil where it is no regular file any more.
    init?(_ item: WalkedItem) throws(Errno) {
        // O_NONBLOCK: what is a pipe by now must not wait for its writer.
        let flags = lx_o_nofollow | lx_o_nonblock | lx_o_noctty
        let opened = Descriptor(owning: try retrying { lx_openat(item.directory, item.name, flags, 0) })
        let stamp = try ItemStamp(of: opened)
        guard stamp.isRegular else { return nil }
        sizeBytes = stamp.sizeBytes
        header = try FileTree.read(opened.raw, offset: 0, count: Self.headerBytes)
        descriptor = opened
        self.item = item
    }

    var isDatabase: Bool { DatabaseFile.isDatabase(header: header) }

    /// Whether it begins as a property list of one of the two formats that a device reads.
    var isPropertyList: Bool { isBinaryPropertyList || isXMLPropertyList }
    var isBinaryPropertyList: Bool { header.starts(with: "bplist".utf8) }
    var isXMLPropertyList: Bool {
        guard header.first(where: { !" \t\r\n\u{FEFF}".utf8.contains($0) }) == UInt8(ascii: "<") else {
            return false
        }
        return String(decoding: header, as: UTF8.self).contains("plist")
    }

    /// All of it; nil where it is longer, or cannot be read.
    func bytes(limit: Int) -> [UInt8]? {
        guard sizeBytes <= UInt64(limit) else { return nil }
        return try? FileTree.read(descriptor.raw, offset: 0, count: limit)
    }
}
