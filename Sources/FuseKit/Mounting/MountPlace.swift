internal import CLinux
internal import Glibc
public import Posix
public import SystemPackage

/// A directory's name in an open folder, where something is mounted or is to be.
///
/// A path is no hold on a mount: whoever owns a directory above it can rename that, and put a link or another
/// mount in its place between a look and an act. The folder's descriptor stays what it is, and a name at
/// which something is mounted cannot be renamed.
public struct MountPlace: Sendable {
    /// Open without rights to read it (O_PATH).
    public let folder: SharedDescriptor
    public let name: String

    /// - Parameters:
    ///   - folder: may have come from another process.
    ///   - name: one component.
    /// - Throws: ENOTDIR where `folder` is no directory, EINVAL where `name` is not one component.
    public init(_ name: String, in folder: SharedDescriptor) throws(Errno) {
        guard try ItemStamp(of: folder.raw).isDirectory else { throw .notDirectory }
        guard !name.isEmpty, name != ".", name != "..", !name.utf8.contains(0x2f), !name.utf8.contains(0)
        else { throw .invalidArgument }
        self.folder = folder
        self.name = name
    }

    /// The place that an absolute path without links names now.
    /// - Throws: ELOOP where a folder above it has become a link since.
    public init(path: String) throws(Errno) {
        let path = FilePath(path)
        guard let name = path.lastComponent, path.isAbsolute else { throw .invalidArgument }
        let parent = path.removingLastComponent().string
        let folder = try valueOrErrno(lx_open_without_links(parent, lx_o_path | O_DIRECTORY))
        try self.init(name.string, in: SharedDescriptor(Descriptor(owning: folder)))
    }

    /// Opens the directory, or the root of what is mounted there, without asking a file system's server
    /// (O_PATH). A link is not followed.
    public func open() throws(Errno) -> Descriptor {
        try Descriptor(at: folder.raw, name, flags: lx_o_path | O_DIRECTORY | O_NOFOLLOW)
    }

    /// What is mounted there, the topmost of several, as the kernel's table has it.
    /// - Returns: nil where nothing is, or where this process does not see that mount.
    public func entry() throws(Errno) -> MountEntry? {
        let there = try open()
        guard try MountTable.mountID(of: there) != MountTable.mountID(of: folder.descriptor) else {
            return nil
        }
        return try MountTable.entry(holding: there)
    }

    /// umount2(2) of what is mounted there.
    func unmount(flags: Int32) throws(Errno) {
        try valueOrErrno(lx_umount("/proc/self/fd/\(folder.raw)/\(name)", flags | lx_umount_nofollow))
    }

    /// Removes the empty directory.
    public func remove() throws(Errno) {
        try valueOrErrno(lx_unlinkat(folder.raw, name, AT_REMOVEDIR))
    }

    /// Whether this place is the directory `ancestor`, or lies below it, by whatever names.
    public func lies(below ancestor: FileIdentity) throws(Errno) -> Bool {
        if try ItemStamp(of: try open()).identity == ancestor { return true }
        var identity = try ItemStamp(of: folder.raw).identity
        var current = folder
        while identity != ancestor {
            current = SharedDescriptor(try Descriptor(at: current.raw, "..", flags: lx_o_path | O_DIRECTORY))
            let above = try ItemStamp(of: current.raw).identity
            // Only the root is its own parent.
            if above == identity { return false }
            identity = above
        }
        return true
    }
}

extension MountTable {
    /// The mount that holds what `descriptor` has open; nil where this process does not see it.
    public static func entry(holding descriptor: borrowing Descriptor) throws(Errno) -> MountEntry? {
        let number = try mountID(of: descriptor)
        return try current().entries.first { $0.mountID == number }
    }

    /// The number of the mount that holds what `descriptor` has open.
    static func mountID(of descriptor: borrowing Descriptor) throws(Errno) -> Int {
        guard let number = try number("mnt_id:", of: descriptor) else { throw .notSupported }
        return number
    }

    /// Whether a mount is the one that an opened `/dev/fuse` serves, as far as the kernel tells (Linux 6.16).
    static func isServed(_ entry: MountEntry, by device: SharedDescriptor) -> Bool {
        guard let number = try? number("fuse_connection:", of: device.descriptor) else { return true }
        return entry.device.parts(between: ":") == ["0", "\(number)"]
    }

    /// What the kernel says of a descriptor.
    private static func number(_ key: String, of descriptor: borrowing Descriptor) throws(Errno) -> Int? {
        let file = try Descriptor("/proc/self/fdinfo/\(descriptor.raw)", flags: 0)
        let text = String(decoding: try file.readAll(limitBytes: 64 << 10), as: UTF8.self)
        let line = text.split(separator: "\n").first { $0.hasPrefix(key) }
        return line?.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) }
    }
}
