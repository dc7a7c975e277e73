internal import CLinux
internal import Glibc
internal import Posix
internal import SystemPackage

/// A directory that is fit to be mounted on, held open: what was checked is what is mounted on.
public struct MountPoint: Sendable {
    /// Absolute, without links.
    public let path: String
    public let place: MountPlace
    /// Whether it was made for this mount, and goes again with it.
    public let wasMade: Bool
    let directory: SharedDescriptor

    /// Checks `path`, makes its last component where that is missing, and cleans a dead mount of our own.
    /// - Parameter isOurs: whether a mount's source names the device that mounts now.
    /// - Throws: what is wrong with it, as `MountError`.
    public static func prepare(_ path: String, isOurs: (String) -> Bool) throws -> MountPoint {
        try prepare(resolved: try resolve(path), isOurs: isOurs)
    }

    /// As `prepare`.
    /// - Parameter absolute: what `resolve` returned: no link is followed that has come to lie there since.
    public static func prepare(resolved absolute: String, isOurs: (String) -> Bool) throws -> MountPoint {
        if let entry = try MountTable.current().entry(at: absolute) {
            guard isDead(absolute) else { throw MountError.alreadyMounted(absolute, by: entry.source) }
            guard isOurs(entry.source) else { throw MountError.deadMount(absolute, by: entry.source) }
            try Unmounting.clean(entry)
            return try prepare(resolved: absolute, isOurs: isOurs)
        }
        do throws(Errno) {
            let place = try MountPlace(path: absolute)
            let wasMade = try make(place)
            let directory = SharedDescriptor(try place.open())
            try checkIsEmpty(directory)
            return MountPoint(path: absolute, place: place, wasMade: wasMade, directory: directory)
        } catch {
            switch error {
            case .noSuchFileOrDirectory: throw MountError.mountPointMissing(absolute)
            case .notDirectory, .tooManySymbolicLinkLevels: throw MountError.notADirectory(absolute)
            // Something lies in it; the root directory has no name to be mounted on.
            case .directoryNotEmpty, .invalidArgument: throw MountError.notEmpty(absolute)
            default: throw MountError.failed("mount at", absolute, error)
            }
        }
    }

    /// - Returns: false where it was there.
    private static func make(_ place: MountPlace) throws(Errno) -> Bool {
        let made = lx_mkdirat(place.folder.raw, place.name, 0o700)
        if made == -EEXIST { return false }
        // The folder is open: a file system like /proc says this where nobody can make anything.
        if made == -ENOENT { throw .notSupported }
        try valueOrErrno(made)
        return true
    }

    /// - Throws: ENOTEMPTY.
    private static func checkIsEmpty(_ directory: SharedDescriptor) throws(Errno) {
        let listed = try Descriptor(at: directory.raw, ".", flags: O_RDONLY | O_DIRECTORY)
        do throws(Errno) {
            _ = try DirectoryEntries.names(in: listed, limit: 0)
        } catch Errno.argListTooLong {
            throw Errno.directoryNotEmpty
        }
    }

    /// Removes the directory if it was made for the mount; leaves one that is no longer empty.
    public func removeIfMade() { if wasMade { try? place.remove() } }

    /// Whether the file system at `path` lost its server: every call is answered ENOTCONN, and those that are
    /// under way when it is killed ECONNABORTED, or ECANCELED where they wait in the ring (seen on Linux
    /// 6.18: one call in two kills, and none without a ring).
    public static func isDead(_ path: String) -> Bool {
        do {
            _ = try Descriptor(path, flags: O_DIRECTORY)
            return false
        } catch {
            return [.socketNotConnected, .connectionAbort, .canceled].contains(error)
        }
    }

    /// The absolute path without links. The last component need not exist, nor be alive: it is not touched
    /// unless it is a link.
    /// - Throws: `MountError.mountPointMissing` where its parent does not exist.
    public static func resolve(_ path: String) throws -> String {
        guard !path.isEmpty else { throw MountError.notADirectory("\"\"") }
        let trimmed = FilePath(path)
        if let whole = realPath(path) { return whole }
        guard let name = trimmed.lastComponent, name.kind == .regular else {
            throw MountError.failed("resolve", path, Errno(rawValue: errno))
        }
        let parent = trimmed.removingLastComponent()
        guard let resolved = realPath(parent.isEmpty ? "." : parent.string) else {
            if errno == ENOENT { throw MountError.mountPointMissing(path) }
            throw MountError.failed("resolve", path, Errno(rawValue: errno))
        }
        return resolved == "/" ? "/" + name.string : resolved + "/" + name.string
    }
}

/// realpath(3): nil, with errno, where the path does not lead anywhere.
func realPath(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
}
