internal import CLinux

/// A number that names a device, or a mounted file system: `st_dev`, `st_rdev`.
public struct DeviceNumber: Sendable, Equatable, CustomStringConvertible {
    public let major: UInt32
    public let minor: UInt32

    public init(major: UInt32, minor: UInt32) {
        self.major = major
        self.minor = minor
    }

    /// - Parameter raw: as stat(2) gives it: glibc spreads both over 64 bits (sys/sysmacros.h).
    public init(raw: UInt) {
        major = UInt32(truncatingIfNeeded: (raw >> 8) & 0xfff | (raw >> 32) & ~0xfff)
        minor = UInt32(truncatingIfNeeded: raw & 0xff | (raw >> 12) & ~0xff)
    }

    /// The number of the character device at `path`; nil where there is none, or another kind of file.
    /// Containers put an empty file where a device is not to be had.
    public init?(deviceAt path: String) {
        var details = stat()
        guard lx_fstatat(lx_at_fdcwd, path, &details, 0) == 0,
            details.st_mode & FileMode.typeMask == FileMode.characterDevice
        else { return nil }
        self.init(raw: UInt(details.st_rdev))
    }

    /// `major:minor`, as mountinfo writes it.
    public var description: String { "\(major):\(minor)" }

    /// `/dev/fuse` (the kernel's list of allocated devices).
    public static let fuse = DeviceNumber(major: 10, minor: 229)
}
