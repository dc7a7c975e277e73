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

    /// `major:minor`, as mountinfo writes it.
    public var description: String { "\(major):\(minor)" }

    /// `/dev/fuse` (the kernel's list of allocated devices).
    public static let fuse = DeviceNumber(major: 10, minor: 229)
}
