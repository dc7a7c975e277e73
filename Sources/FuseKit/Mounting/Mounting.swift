internal import CLinux
internal import Glibc
public import Posix
internal import SystemPackage

/// What a mount is to be.
public struct MountRequest: Sendable, Equatable {
    /// What mountinfo shows as its source; tells later whose it is.
    public let source: String
    /// The user and group it belongs to; root may mount for somebody else.
    public var userID = Process.effectiveUserID
    public var groupID = Process.effectiveGroupID
    /// Users other than the owner reach it, as far as mode bits let them.
    public var allowsOthers = false
    public var isReadOnly = false
    /// No program runs from it.
    public var forbidsExecution = false
    /// False, where root mounts: no path leads over a link in it.
    public var followsLinks = true
    /// Whether the kernel checks mode bits. False is for ordinary users' own mounts (`AccessChecks`).
    public var kernelChecksAccess = true

    public init(source: String) { self.source = source }
}

/// ENODEV, which swift-system has no name for: the kernel has no such driver or file system.
private let noDevice = Errno(rawValue: ENODEV)

/// Mounts FUSE file systems with the caller's own rights, in its own mount namespace.
public enum Mounting {
    /// The type that mountinfo shows.
    public static let fileSystemType = "fuse.apphome"

    /// Mounts at `point`: with mount(2) as root, by fusermount3 otherwise.
    /// - Returns: the open `/dev/fuse` that serves the mount; when its last copy closes, the mount is dead.
    /// - Throws: `MountError`.
    public static func mount(_ request: MountRequest, at point: MountPoint) throws -> Descriptor {
        if Process.effectiveUserID == 0 { return try mountAsRoot(request, at: point) }
        if request.allowsOthers, !userAllowOther() { throw MountError.userAllowOtherMissing }
        return try mountByHelper(request, at: point)
    }

    private static func mountAsRoot(_ request: MountRequest, at point: MountPoint) throws -> Descriptor {
        let device = try openDevice(for: point)
        var options = "fd=\(device.raw),rootmode=40000"
        if request.kernelChecksAccess { options += ",default_permissions" }
        options += ",user_id=\(request.userID),group_id=\(request.groupID)"
        if request.allowsOthers { options += ",allow_other" }
        var flags = lx_ms_nosuid | lx_ms_nodev
        if request.isReadOnly { flags |= lx_ms_rdonly }
        if request.forbidsExecution { flags |= lx_ms_noexec }
        if !request.followsLinks { flags |= lx_ms_nosymfollow }
        // Not by its path: the owner of a directory above could have put a link there since it was checked.
        let target = "/proc/self/fd/\(point.directory.raw)"
        let result = lx_mount(request.source, target, fileSystemType, flags, options)
        switch Errno(rawValue: -result) {
        case Errno(rawValue: 0): return device
        case .notPermitted, .permissionDenied: throw MountError.notPermitted(point.path)
        case noDevice: throw MountError.noFuseDevice
        case let errno: throw MountError.failed("mount at", point.path, errno)
        }
    }

    private static func openDevice(for point: MountPoint) throws -> Descriptor {
        guard DeviceNumber(deviceAt: "/dev/fuse") == .fuse else { throw MountError.noFuseDevice }
        let raw = lx_openat(lx_at_fdcwd, "/dev/fuse", O_RDWR, 0)
        if raw >= 0 { return Descriptor(owning: raw) }
        switch Errno(rawValue: -raw) {
        case .noSuchFileOrDirectory, .noSuchAddressOrDevice, noDevice: throw MountError.noFuseDevice
        case .notPermitted, .permissionDenied: throw MountError.notPermitted(point.path)
        case let errno: throw MountError.failed("open", "/dev/fuse", errno)
        }
    }

    private static func mountByHelper(_ request: MountRequest, at point: MountPoint) throws -> Descriptor {
        guard DeviceNumber(deviceAt: "/dev/fuse") == .fuse else { throw MountError.noFuseDevice }
        var options = "fsname=\(request.source),subtype=apphome"
        if request.kernelChecksAccess { options += ",default_permissions" }
        if request.allowsOthers { options += ",allow_other" }
        if request.isReadOnly { options += ",ro" }
        if request.forbidsExecution { options += ",noexec" }
        return try Fusermount.mount(options: options, at: point.path)
    }

    /// Whether /etc/fuse.conf lets ordinary users open their mounts to others.
    private static func userAllowOther() -> Bool {
        (systemText("/etc/fuse.conf") ?? "").split(separator: "\n").contains {
            $0.split(whereSeparator: \.isWhitespace).first == "user_allow_other"
        }
    }
}
