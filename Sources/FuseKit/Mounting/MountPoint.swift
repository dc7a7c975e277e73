internal import CLinux
internal import Glibc
internal import Posix
internal import SystemPackage

/// A directory that is fit to be mounted on.
public struct MountPoint: Sendable, Equatable {
    /// Absolute, without links.
    public let path: String
    /// Whether it was made for this mount, and goes again with it.
    public let wasMade: Bool

    /// Checks `path`, makes its last component where that is missing, and cleans a dead mount of our own.
    /// - Parameter isOurs: whether a mount's source names the device that mounts now.
    /// - Throws: what is wrong with it, as `MountError`.
    public static func prepare(_ path: String, isOurs: (String) -> Bool) throws -> MountPoint {
        let absolute = try resolve(path)
        let table = try MountTable.current()
        if let entry = table.entry(at: absolute) {
            guard isDead(absolute) else { throw MountError.alreadyMounted(absolute, by: entry.source) }
            guard isOurs(entry.source) else { throw MountError.deadMount(absolute, by: entry.source) }
            try Unmounting.clean(absolute)
            return try prepare(path, isOurs: isOurs)
        }
        if mkdir(absolute, 0o700) == 0 { return MountPoint(path: absolute, wasMade: true) }
        guard errno == EEXIST else {
            let problem = Errno(rawValue: errno)
            if problem == .noSuchFileOrDirectory { throw MountError.mountPointMissing(absolute) }
            throw MountError.failed("make", absolute, problem)
        }
        try checkIsEmptyDirectory(absolute)
        return MountPoint(path: absolute, wasMade: false)
    }

    /// Removes the directory if it was made for the mount; leaves one that is no longer empty.
    public func removeIfMade() { if wasMade { rmdir(path) } }

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

private func checkIsEmptyDirectory(_ path: String) throws {
    guard let listing = opendir(path) else {
        // ENOENT, ELOOP: a link that leads nowhere.
        if [ENOTDIR, ENOENT, ELOOP].contains(errno) { throw MountError.notADirectory(path) }
        throw MountError.failed("open", path, Errno(rawValue: errno))
    }
    defer { closedir(listing) }
    var count = 0
    while readdir(listing) != nil { count += 1 }
    if count > 2 { throw MountError.notEmpty(path) }
}
