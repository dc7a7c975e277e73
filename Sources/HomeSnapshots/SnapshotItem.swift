internal import SandboxRules

/// What a snapshot has of one item. Times are nanoseconds since 1970.
package struct SnapshotItem: Equatable, Sendable {
    package enum Kind: String, Codable, Sendable {
        case file
        /// A SQLite database with its log or journal.
        case database
        case directory
        case symlink
        /// A socket or pipe.
        case special
    }

    /// Where an item is: in the app's home, or in the container of a group.
    package struct Place: Hashable, Comparable, Sendable {
        /// nil: the app's home.
        package var group: String?
        /// From the container's root, parts joined by `/`.
        package var path: String

        package init(group: String?, path: String) {
            self.group = group
            self.path = path
        }

        /// The home first; directories before what is in them.
        package static func < (one: Place, other: Place) -> Bool {
            if one.group != other.group { return (one.group ?? "") < (other.group ?? "") }
            return one.path.utf8.lexicographicallyPrecedes(other.path.utf8)
        }
    }

    /// Of a file that is renamed it stays the same: inode numbers are used again, with other birth times.
    struct Identity: Hashable, Sendable {
        let inode: UInt64
        let birth: Int64
    }

    struct Attribute: Equatable, Sendable {
        let name: String
        let value: [UInt8]
    }

    package var place: Place
    var kind: Kind
    var sizeBytes: UInt64 = 0
    var permissions: UInt32 = 0
    var modified: Int64 = 0
    var changed: Int64 = 0
    var inode: UInt64 = 0
    /// 0 where the file system has no birth times.
    var birth: Int64 = 0
    /// SHA-256 of a file's content; of a database: of what its files hold. nil for what could not be read,
    /// and for contents that are not on this device.
    var digest: [UInt8]?
    /// A link's text.
    var target: String?
    /// Under the names that apps know.
    var attributes: [Attribute] = []
    /// Its content is in the cloud alone.
    var isEvicted = false
    /// A file with the same stamp later has the same content.
    var isComparable = false

    /// nil where no birth time tells a file from a later one with its inode number.
    var identity: Identity? { birth == 0 ? nil : Identity(inode: inode, birth: birth) }

    /// Whether the skip-backup flag is set.
    var isSkipped: Bool {
        attributes.contains { attribute in
            Array(attribute.name.utf8).withUnsafeBytes { name in
                attribute.value.withUnsafeBytes { SkipBackup.isSet(name: name, value: $0) }
            }
        }
    }

    func hasStamp(of other: SnapshotItem) -> Bool {
        (inode, birth, sizeBytes, modified, changed)
            == (other.inode, other.birth, other.sizeBytes, other.modified, other.changed)
    }
}
