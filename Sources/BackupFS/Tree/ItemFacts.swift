internal import Backup
internal import CLinux
internal import Posix

/// What stat(2) says of an item. In an order without gaps: half a million of them are in memory.
struct ItemFacts {
    var sizeBytes: Int64
    /// Seconds since 1970.
    var modified: Int64
    var changed: Int64
    private var recorded = Self.none
    var userID: UInt32
    var groupID: UInt32
    var mode: UInt16
    // Not an optional, which would take a word.
    private var hasIdentifier = false

    private static let none = FileIdentifier(domain: "", path: "")

    /// Where its record is; nil for a directory that the backup has none of.
    var identifier: FileIdentifier? {
        get { hasIdentifier ? recorded : nil }
        set { (recorded, hasIdentifier) = (newValue ?? Self.none, newValue != nil) }
    }

    /// A directory that is not in the backup, and has to be somewhere.
    init(directoryAt seconds: Int64, mode: UInt16 = 0o755) {
        self.mode = UInt16(FileMode.directory) | mode
        (userID, groupID) = (Self.mobile, Self.mobile)
        sizeBytes = 0
        (modified, changed) = (seconds, seconds)
    }

    init(_ item: StoredItem) {
        let record = item.record
        (recorded, hasIdentifier) = (item.identifier, true)
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

    private static let mobile = UInt32(FileRecord.mobile)

    var isDirectory: Bool { UInt32(mode) & FileMode.typeMask == FileMode.directory }
    var isFile: Bool { UInt32(mode) & FileMode.typeMask == FileMode.regular }
}
