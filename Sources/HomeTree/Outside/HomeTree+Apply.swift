internal import CLinux
public import Posix
public import SystemPackage

/// What sync sets of an item beside its contents.
public struct TravellingAttributes: Equatable, Sendable {
    /// Permission bits; nil leaves them, as of a symlink.
    public var mode: UInt32?
    /// Nanoseconds since 1970; nil leaves it.
    public var modified: Int64?
    public var extended: [AppleAttributes.Attribute]

    public init(mode: UInt32?, modified: Int64?, extended: [AppleAttributes.Attribute]) {
        self.mode = mode
        self.modified = modified
        self.extended = extended
    }
}

extension HomeTree {
    /// Sets attributes of an item that is what the caller expects. Seen through every mount when it returns.
    ///
    /// A file is kept from being opened for writing meanwhile: the times of a write that came between the
    /// look and the change would be lost, and with them the write's notice.
    /// - Returns: the stamp after it; nil where the item is something unexpected.
    /// - Throws: EWOULDBLOCK where somebody may be writing to the file.
    public func apply(
        _ attributes: TravellingAttributes, to number: InodeNumber, if isExpected: (ItemStamp) -> Bool
    ) throws(Errno) -> ItemStamp? {
        let isFile = tables.withLock { $0.isRegular(number) }
        let stamp =
            isFile
            ? try applyToFile(attributes, number, isExpected)
            : try inodes.withInode(number) { (directory, name) throws(Errno) in
                try Self.apply(attributes, directory, name, isExpected)
            }
        if stamp != nil {
            noteChanged(number)
            announceContents(of: number)
        }
        return stamp
    }

    /// As `apply`, of a file that nobody else has seen yet.
    public func applyUnseen(_ attributes: TravellingAttributes, through handle: FileHandle) throws(Errno) {
        _ = try Self.apply(attributes, handle.descriptor, InodeAccess.ownName) { _ in true }
    }

    private func applyToFile(
        _ attributes: TravellingAttributes, _ number: InodeNumber, _ isExpected: (ItemStamp) -> Bool
    ) throws(Errno) -> ItemStamp? {
        let file = try inodes.openContents(of: number)
        let raw = file.raw
        // No directory lock in here: who holds one may be waiting for this lock.
        return try inodes.leases.withLock { (_) throws(Errno) in
            let lease = lx_take_read_lease(raw)
            if lease == -Errno.wouldBlock.rawValue { throw .wouldBlock }
            defer { if lease == 0 { lx_give_lease_back(raw) } }
            return try Self.apply(attributes, raw, InodeAccess.ownName, isExpected)
        }
    }

    private static func apply(
        _ attributes: TravellingAttributes, _ directory: Int32, _ name: UnsafePointer<CChar>,
        _ isExpected: (ItemStamp) -> Bool
    ) throws(Errno) -> ItemStamp? {
        let present = try ItemStamp(directory, name)
        guard isExpected(present) else { return nil }
        if !present.isSymlink { try writeAppleAttributes(attributes.extended, directory, name) }
        if let mode = attributes.mode, !present.isSymlink, mode != present.mode & FileMode.permissions {
            try valueOrErrno(lx_chmodat(directory, name, mode))
        }
        if let modified = attributes.modified, modified != present.modified {
            let omitted = timespec(tv_sec: 0, tv_nsec: Int(lx_utime_omit))
            let times = [omitted, timespec(nanoseconds: modified)]
            try valueOrErrno(lx_utimensat(directory, name, times))
        }
        return try ItemStamp(directory, name)
    }
}
