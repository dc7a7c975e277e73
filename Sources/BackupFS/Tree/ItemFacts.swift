internal import Backup
internal import CLinux
internal import Posix

/// What stat(2) says of an item.
struct ItemFacts {
    /// Where its record is; nil for a directory that the backup has none of.
    var identifier: FileIdentifier?
    var mode: UInt16
    var userID: UInt32
    var groupID: UInt32
    var sizeBytes: Int64
    /// Seconds since 1970.
    var modified: Int64
    var changed: Int64

    /// A directory that is not in the backup, and has to be somewhere.
    init(directoryAt seconds: Int64, mode: UInt16 = 0o755) {
        self.mode = UInt16(FileMode.directory) | mode
        (userID, groupID) = (Self.mobile, Self.mobile)
        sizeBytes = 0
        (modified, changed) = (seconds, seconds)
    }

    init(_ item: StoredItem) {
        let record = item.record
        identifier = item.identifier
        let type =
            switch item.kind {
            case .file: FileMode.regular
            case .directory: FileMode.directory
            case .symlink: FileMode.symlink
            }
        mode = UInt16(truncatingIfNeeded: type | record.mode & 0o7777)
        (userID, groupID) = (
            UInt32(truncatingIfNeeded: record.userID), UInt32(truncatingIfNeeded: record.groupID)
        )
        sizeBytes =
            switch item.kind {
            case .file: record.sizeBytes
            case .directory: 0
            case .symlink(let target): Int64(target.utf8.count)
            }
        (modified, changed) = (record.modifiedSeconds, record.changedSeconds)
    }

    /// From now on it is a file, for reading.
    mutating func makeFile() { mode = UInt16(FileMode.regular) | 0o444 }

    /// The user of apps on a device.
    private static let mobile: UInt32 = 501

    var isDirectory: Bool { UInt32(mode) & FileMode.typeMask == FileMode.directory }
    var isFile: Bool { UInt32(mode) & FileMode.typeMask == FileMode.regular }
    var isSymlink: Bool { UInt32(mode) & FileMode.typeMask == FileMode.symlink }
}

/// The same without padding.
struct PackedFacts {
    private var sizeBytes: Int64
    private var modified: Int64
    private var changed: Int64
    private var identifier: FileIdentifier
    private var userID: UInt32
    private var groupID: UInt32
    private var mode: UInt16
    private var hasIdentifier: Bool

    private static let none = FileIdentifier(domain: "", path: "")

    init(_ facts: ItemFacts) {
        (sizeBytes, modified, changed) = (facts.sizeBytes, facts.modified, facts.changed)
        identifier = facts.identifier ?? Self.none
        hasIdentifier = facts.identifier != nil
        (userID, groupID, mode) = (facts.userID, facts.groupID, facts.mode)
    }

    var facts: ItemFacts {
        var facts = ItemFacts(directoryAt: modified)
        facts.identifier = hasIdentifier ? identifier : nil
        (facts.userID, facts.groupID, facts.mode) = (userID, groupID, mode)
        (facts.sizeBytes, facts.changed) = (sizeBytes, changed)
        return facts
    }
}
