internal import CLinux
internal import Posix
internal import SystemPackage

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

extension TravellingAttributes {
    /// Sets them of an item that is what the caller expects.
    /// - Returns: the stamp after it; nil where the item is something unexpected.
    func set(
        _ directory: Int32, _ name: UnsafePointer<CChar>, if isExpected: (ItemStamp) -> Bool
    ) throws(Errno) -> ItemStamp? {
        let present = try ItemStamp(directory, name)
        guard isExpected(present) else { return nil }
        if !present.isSymlink { try AppleAttributes.write(extended, directory, name) }
        if let mode, !present.isSymlink, mode != present.mode & FileMode.permissions {
            try valueOrErrno(lx_chmodat(directory, name, mode))
        }
        if let modified, modified != present.modified {
            let omitted = timespec(tv_sec: 0, tv_nsec: Int(lx_utime_omit))
            let times = [omitted, timespec(nanoseconds: modified)]
            try valueOrErrno(lx_utimensat(directory, name, times))
        }
        return try ItemStamp(directory, name)
    }
}
