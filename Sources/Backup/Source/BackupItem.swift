public import Posix
internal import SystemPackage

/// An item on its way into a backup.
public struct BackupItem: Sendable {
    public enum Kind: Sendable, Equatable {
        case file
        /// A SQLite database that may be open: copied by `DomainTree.copyDatabase`, as one with its log.
        case database
        case directory
        /// With its text.
        case symlink(String)
    }

    /// From the domain's root, parts joined by `/`; "" is the root itself.
    public let path: String
    public let kind: Kind
    /// As it was when the walk came to it.
    public let stamp: ItemStamp
    /// Its extended attributes, under the names that apps know.
    public let attributes: [(name: String, value: [UInt8])]
    /// The open directory that it lies in, and its name there; valid during the visit.
    public let directory: Int32
    public let name: String

    public init(
        path: String, kind: Kind, stamp: ItemStamp, attributes: [(name: String, value: [UInt8])],
        directory: Int32, name: String
    ) {
        self.path = path
        self.kind = kind
        self.stamp = stamp
        self.attributes = attributes
        self.directory = directory
        self.name = name
    }
}

/// An item that is not in the backup although it could be expected there, or not as it should be.
public struct LeftOutItem: Sendable, Equatable {
    public enum Reason: String, Sendable {
        /// iOS's own backup refuses it too.
        case pathTooLong
        /// A socket, fifo or device.
        case unsupportedKind
        case nameNotUTF8
        /// Kept out by its skip-backup flag, a directory with all in it: as it should be, and counted alone.
        case flagged
        /// The system did not let us read it.
        case unreadable
        /// It was written each time that it was read: what is in the backup may be of two moments.
        case changing
        /// A database that its app held locked: what is in the backup are its files as they were found.
        case databaseBusy
    }

    public let domain: String
    public let path: String
    public let reason: Reason

    public init(domain: String, path: String, reason: Reason) {
        self.domain = domain
        self.path = path
        self.reason = reason
    }
}

extension Errno {
    /// Whether opening or reading one item failed with this because of that item: it is left out then, and
    /// told of. All else ends the run.
    var isUnreadableItem: Bool { self == .permissionDenied || self == .notPermitted || self == .ioError }
}
