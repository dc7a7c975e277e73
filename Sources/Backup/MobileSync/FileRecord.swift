/// What a backup knows of an item besides its path: the `MBFile` that a row of Manifest.db holds.
package struct FileRecord: Equatable, Sendable {
    /// Type and permissions, as st_mode.
    package var mode: UInt32
    /// Bytes of the content, before encryption; 0 for what is no file.
    package var sizeBytes: Int64 = 0
    /// Since 1970, as are the two below.
    package var modifiedSeconds: Int64 = 0
    package var changedSeconds: Int64 = 0
    package var birthSeconds: Int64 = 0
    package var userID: Int64 = Self.mobile
    package var groupID: Int64 = Self.mobile
    /// 0 where the record is not to be compared with the file that it came from.
    package var inode: UInt64 = 0
    package var protectionClass: UInt32 = 0
    var relativePath = ""
    /// A symlink's text.
    var target: String?
    /// Four bytes of class, little endian, then the wrapped key; nil in a plain backup.
    var encryptionKey: [UInt8]?
    package var attributes: [Attribute] = []
    /// SHA-1 of the blob as it is stored; nil where the device gave none.
    var digest: [UInt8]?

    /// An extended attribute, under the name that apps know it by.
    package struct Attribute: Equatable, Sendable {
        package let name: String
        package let value: [UInt8]
    }

    /// The user and group of apps on a device.
    package static let mobile: Int64 = 501
    /// Readable after the first unlocking: what files of apps have unless the app says otherwise.
    static let defaultProtectionClass: UInt32 = 3
}

/// The `flags` of a row: what kind of item it is.
public enum RowKind: Int64, Sendable {
    case file = 1
    case directory = 2
    case symlink = 4
}
