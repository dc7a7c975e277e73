internal import CLinux
internal import Glibc
public import SystemPackage

/// A file that only takes room, so that there is some to be had where nothing else gives any.
///
/// Its length says how much it has. Several processes may fill the same file and give its room back.
public struct ReserveFile: Sendable {
    public let name: String
    public let sizeBytes: Int64
    /// btrfs, bcachefs and ZFS: they write elsewhere whatever is changed. What they call free is in part what
    /// was freed a moment ago, and in part what changes of their own need.
    private static let copyingTypes: Set<Int64> = [0x9123_683E, 0xCA45_1A4E, 0x2FC1_2FC1]
    private static let pieceBytes: Int64 = 16 << 10

    /// Enough for the records of many commands; little beside what people have on a disk.
    private static let usualBytes: Int64 = 1 << 20

    public init(name: String, sizeBytes: Int64) {
        self.name = name
        self.sizeBytes = sizeBytes
    }

    /// One of the usual size, or of a part of a small file system.
    /// - Parameter directory: where it is to lie.
    public init(name: String, for directory: Int32) {
        // A change of one name there may ask for most of a megabyte, in case all that it leads to is copied.
        let parts: Int64 = Self.isCopying(directory) ? 4 : 1
        let share = ((try? totalBytes(on: directory)) ?? .max) / 64
        self.init(name: name, sizeBytes: parts * min(Self.usualBytes, share))
    }

    private static func isCopying(_ file: Int32) -> Bool {
        copyingTypes.contains(lx_file_system_type(file))
    }

    /// Whether the file in `directory` has all its room.
    public func isWhole(in directory: Int32) -> Bool {
        guard let stamp = try? ItemStamp.ifPresent(directory, name) else { return false }
        return stamp.isRegular && stamp.sizeBytes >= UInt64(sizeBytes)
    }

    /// Whether so little is free that a small file may not be written any more.
    /// - Parameter file: of the file system, open.
    public func isNeeded(on file: Int32) -> Bool {
        let margin: Int64 = Self.isCopying(file) ? 4 : 1
        return ((try? freeBytes(on: file)) ?? .max) < margin * sizeBytes
    }

    /// Takes the room, as much of it as there is; makes the file where it is missing (mode 0600).
    /// - Throws: ENOSPC or EDQUOT where the file does not have all of it now; EINVAL where something else has
    ///   the name.
    public func fill(in directory: Int32) throws(Errno) {
        let file = try open(in: directory, O_RDWR | O_CREAT)
        var size = Int64(clamping: try ItemStamp(of: file.raw).sizeBytes)
        while size < sizeBytes {
            // In pieces: what a command has used of the room must not keep the rest of it out.
            let count = min(sizeBytes - size, Self.pieceBytes)
            try take(count, at: size, in: file.raw)
            size += count
        }
    }

    private func take(_ count: Int64, at offset: Int64, in file: Int32) throws(Errno) {
        do throws(Errno) {
            try retrying { lx_fallocate(file, 0, offset, count) }
        } catch .operationNotSupported, .noFunction {
            let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max) }
            // Not zeros, which some file systems leave out.
            try FileTree.write(file, bytes, offset: offset)
        }
    }

    /// Gives the room back to the file system, to be had at once; nothing where there is no such file.
    public func giveBack(in directory: Int32) throws(Errno) {
        // Removed and not cut short: on a full btrfs that is what may be done.
        let result = lx_unlinkat(directory, name, 0)
        if result == -ENOENT { return }
        try valueOrErrno(result)
        // And what was freed is given out there when that is on the disk.
        _ = lx_syncfs(directory)
    }

    private func open(in directory: Int32, _ flags: Int32) throws(Errno) -> Descriptor {
        let flags = flags | O_NONBLOCK | O_NOCTTY
        let file = Descriptor(owning: try retrying { lx_openat_beneath(directory, name, flags, 0o600) })
        guard try ItemStamp(of: file.raw).isRegular else { throw .invalidArgument }
        return file
    }
}
