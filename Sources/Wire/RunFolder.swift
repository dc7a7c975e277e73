internal import CLinux
internal import Glibc
public import Posix
public import SystemPackage

/// The device's folder `run/`: lock, socket, log and records of the daemon. Both sides go through it.
///
/// Everything in it is made and removed with the rights of the device's owner, and reached from its
/// descriptor without following links: root may serve a folder that another user can change.
public final class RunFolder: Sendable {
    private let directory: Descriptor
    public let owner: Owner

    private static let lockName = "daemon.lock"
    private static let socketName = "daemon.sock"
    private static let logName = "daemon.log"
    private static let longestLogBytes: Int64 = 1 << 20

    /// Opens `run/` of the device whose open folder is given, and makes it where it is missing.
    public init(device: Int32, owner: Owner) throws(Errno) {
        self.owner = owner
        directory = try owner.calling { () throws(Errno) -> Descriptor in
            let made = lx_mkdirat(device, "run", 0o700)
            if made < 0, made != -EEXIST { throw Errno(rawValue: -made) }
            return Descriptor(owning: try valueOrErrno(lx_openat_beneath(device, "run", O_DIRECTORY, 0)))
        }
    }

    /// Takes the device's lock, which its daemon holds for life.
    /// - Returns: nil where another process has it.
    public func takeLock() throws(Errno) -> SharedDescriptor? {
        let file = try open(Self.lockName, O_RDWR | O_CREAT)
        let result = lx_flock(file.raw, 0)
        if result == -EWOULDBLOCK { return nil }
        try valueOrErrno(result)
        return SharedDescriptor(file)
    }

    /// Makes the socket; a stale one goes first. Only the holder of the lock may call this.
    public func listen() throws(Errno) -> Descriptor {
        removeSocket()
        return try owner.calling { () throws(Errno) in
            try UnixSocket.listen(in: directory, name: Self.socketName)
        }
    }

    public func removeSocket() { remove(Self.socketName) }

    public func connect() throws(Errno) -> Descriptor {
        try UnixSocket.connect(in: directory, name: Self.socketName)
    }

    /// The name of the socket by which programs that run as an app reach the daemon, in that app's folder.
    public static let appSocketName = "app.sock"

    /// Makes that socket in a folder of `makeFolder`; a stale one goes first.
    public func listen(forAppIn path: String) throws(Errno) -> Descriptor {
        try owner.calling { () throws(Errno) in
            let folder = try opened(path)
            _ = lx_unlinkat(folder.raw, Self.appSocketName, 0)
            return try UnixSocket.listen(in: folder, name: Self.appSocketName)
        }
    }

    public func removeAppSocket(in path: String) {
        try? owner.calling { () throws(Errno) in
            let folder = try opened(path)
            _ = lx_unlinkat(folder.raw, Self.appSocketName, 0)
        }
    }

    /// A directory in it; no link is followed.
    private func opened(_ path: String) throws(Errno) -> Descriptor {
        let flags = lx_o_path | O_DIRECTORY
        return Descriptor(owning: try valueOrErrno(lx_openat_beneath(directory.raw, path, flags, 0)))
    }

    /// The daemon's log, for appending; the log before it is kept once it is long.
    public func openLog() throws(Errno) -> Descriptor {
        let log = try open(Self.logName, O_WRONLY | O_CREAT | O_APPEND)
        guard lx_lseek(log.raw, 0, SEEK_END) > Self.longestLogBytes else { return log }
        try owner.calling { () throws(Errno) in
            _ = lx_renameat2(directory.raw, Self.logName, directory.raw, Self.logName + ".1", 0)
        }
        return try open(Self.logName, O_WRONLY | O_CREAT | O_APPEND)
    }

    /// Makes a folder for mount points, where it is missing.
    /// - Throws: ELOOP, ENOTDIR or EPERM where a link, a file or another user's folder has the name.
    public func makeFolder(_ name: String) throws(Errno) {
        try owner.calling { () throws(Errno) in
            let made = lx_mkdirat(directory.raw, name, 0o700)
            if made < 0, made != -EEXIST { throw Errno(rawValue: -made) }
            guard try ItemStamp(of: opened(name)).uid == owner.uid else { throw .notPermitted }
        }
    }

    /// Which directory a path in it is; no link is followed.
    public func identity(of path: String) throws(Errno) -> FileIdentity {
        try owner.calling { () throws(Errno) in
            try ItemStamp(of: opened(path)).identity
        }
    }

    /// The content of a small file; nil where there is none.
    public func read(_ name: String) -> [UInt8]? {
        guard let file = try? open(name, O_RDONLY) else { return nil }
        return try? file.readAll(limitBytes: 1 << 20)
    }

    /// Replaces a small file, whole.
    public func write(_ name: String, _ content: [UInt8]) throws(Errno) {
        let aside = name + ".new"
        let file = try open(aside, O_WRONLY | O_CREAT | O_TRUNC)
        try file.writeAll(content)
        try valueOrErrno(lx_fsync(file.raw, 1))
        try owner.calling { () throws(Errno) in
            _ = try valueOrErrno(lx_renameat2(directory.raw, aside, directory.raw, name, 0))
        }
    }

    public func remove(_ name: String) {
        // Where the owner's rights cannot be had, what stays is found to be stale.
        try? owner.calling { () throws(Errno) in _ = lx_unlinkat(directory.raw, name, 0) }
    }

    private func open(_ name: String, _ flags: Int32) throws(Errno) -> Descriptor {
        try owner.calling { () throws(Errno) -> Descriptor in
            // Whose folder it is can put a pipe there, which is waited for, or another file's name.
            let flags = flags | O_NONBLOCK | O_NOCTTY
            let file = Descriptor(
                owning: try valueOrErrno(lx_openat_beneath(directory.raw, name, flags, 0o600)))
            guard try ItemStamp(of: file).isRegular else { throw .invalidArgument }
            return file
        }
    }
}
