internal import CLinux
internal import Posix

/// The number of an inode in one home tree: given again, with another generation, once it was forgotten.
public struct InodeNumber: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// What the backing file system calls an inode. True only while a name or a descriptor holds the inode:
/// ext4 gives a freed number to the next file.
struct Identity: Hashable {
    let device: UInt64
    let number: UInt64

    init(_ status: stat) {
        device = UInt64(status.st_dev)
        number = UInt64(status.st_ino)
    }
}

/// One inode that somebody knows: the kernel, an open handle, or a child.
///
/// INVARIANT: an inode that is not detached is reached by `name` in `parent`, and holds a reference to it.
/// INVARIANT: a detached inode is reached by `descriptor` or by one of its handles, or not at all (ESTALE).
struct Inode {
    /// First, so that a short name's address is the record's. Reached by the record's pointer: `name`.
    var storedName = StoredName.none
    var identity: Identity
    var parent: InodeNumber
    var generation: UInt32
    /// One for each session that knows it, each child, each open handle, each look-up under way.
    var references: UInt32
    /// Calls under way that use `descriptor`, or that rely on this record staying.
    var pins: UInt32
    /// An O_PATH descriptor of its own, or -1. May be closed and opened again while nothing pins it.
    var descriptor: Int32
    /// Where `DescriptorCache` lists it; means nothing where `descriptor` is -1.
    var cacheIndex: UInt32 = 0
    /// The head of the list of its open handles, or `HandleTable.none`.
    var firstHandle: UInt32
    /// Handles open for writing with passthrough.
    var writers: UInt32 = 0
    /// How many there ever were.
    var writerCount: UInt32 = 0
    /// Handles that may write, however contents travel.
    var writeHandles: UInt32 = 0
    /// See `ChangeFeed.mark`.
    var changeMark: UInt32 = 0
    /// S_IFMT >> 12.
    var type: UInt8
    var flags: Flags

    struct Flags: OptionSet {
        let rawValue: UInt16
        static let live = Flags(rawValue: 1)
        /// Has no name that we know: unlinked, or only the name that we knew was.
        static let detached = Flags(rawValue: 2)
        /// A root of the tree: its descriptor is never closed.
        static let root = Flags(rawValue: 4)
        /// Its descriptor was used since the cache's hand passed.
        static let used = Flags(rawValue: 8)
        /// Was seen with set-user-id or set-group-id: who writes may have to strip them.
        static let privileged = Flags(rawValue: 16)
        /// May be written past us: was open for reading and writing with passthrough, so may be mapped, and
        /// no lease has told otherwise.
        static let possiblyWritten = Flags(rawValue: 32)
        /// The kernel may believe attributes that it was told.
        static let believed = Flags(rawValue: 64)
        /// Was seen with several names, of which we know one.
        static let linked = Flags(rawValue: 128)
        /// Carries no skip-backup flag itself.
        static let unflagged = Flags(rawValue: 256)
    }

    var isDirectory: Bool { type == UInt8(FileMode.directory >> 12) }
    var isDetached: Bool { flags.contains(.detached) }
}
