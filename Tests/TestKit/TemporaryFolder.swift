import CLinux
import Glibc
import Posix
import SystemPackage

/// Where tests make folders that mounts are in: of this run alone where `mount-scripts/test` started it, so
/// that what one run leaves is not taken for another's.
public let temporaryParent: String = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"

/// A folder of its own on the disk, removed with all in it when the value ends.
public struct TemporaryFolder: ~Copyable {
    public let path: String

    public init(in parent: String = temporaryParent) throws {
        var template = Array((parent + "/apphome-test-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { throw Errno(rawValue: errno) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { run("/bin/rm", "-rf", "--one-file-system", path) }

    /// A directory below the folder, made with its parents.
    @discardableResult
    public func directory(_ name: String) throws -> String {
        var made = path
        for part in name.split(separator: "/") {
            made += "/" + part
            let result = lx_mkdirat(lx_at_fdcwd, made, 0o755)
            if result < 0 && result != -EEXIST { throw Errno(rawValue: -result) }
        }
        return made
    }
}

/// Runs a program and waits; returns its exit status.
@discardableResult
public func run(_ program: String, _ arguments: String...) -> Int32 {
    var process = pid_t()
    var argv = ([program] + arguments).map { strdup($0) }
    argv.append(nil)
    defer { for argument in argv { free(argument) } }
    guard posix_spawn(&process, program, nil, nil, argv, environ) == 0 else { return 127 }
    var status: Int32 = 0
    waitpid(process, &status, 0)
    return (status >> 8) & 0xff
}

/// Writes a file, made where it is missing.
public func write(_ text: String, to path: String) throws {
    let file = try Descriptor(path, flags: O_WRONLY | O_CREAT | O_TRUNC, mode: 0o644)
    var text = text
    try text.withUTF8 { bytes in
        _ = try valueOrErrno(lx_pwrite(file.raw, bytes.baseAddress, UInt64(bytes.count), 0))
    }
}

/// The whole text of a file, of one that the kernel makes up too: those come in pieces of a page, of which
/// Foundation takes the first.
public func contents(of path: String) throws -> String {
    let file = try Descriptor(path, flags: O_RDONLY)
    return String(decoding: try file.readAll(), as: UTF8.self)
}

/// The names in a directory as bytes, without "." and "..", sorted as text.
public func names(in path: String) throws -> [String] {
    guard let directory = opendir(path) else { throw Errno(rawValue: errno) }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
            pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
}

/// The error of a system call, nil where it succeeded.
public func failure(_ call: () -> Int32) -> Errno? { call() == -1 ? Errno(rawValue: errno) : nil }

/// Exchanges what two names stand for.
/// - Returns: the error; nil where it succeeded.
public func exchange(_ one: String, _ other: String) -> Errno? {
    let result = lx_renameat2(lx_at_fdcwd, one, lx_at_fdcwd, other, lx_rename_exchange)
    return result < 0 ? Errno(rawValue: -result) : nil
}

/// The attributes of a path, not following a link.
public func status(_ path: String) throws -> stat {
    var status = stat()
    try valueOrErrno(lx_fstatat(lx_at_fdcwd, path, &status, lx_at_symlink_nofollow))
    return status
}

/// When a path was last modified, a link itself not followed; since 1970.
public func modificationNanoseconds(of path: String) throws -> Int {
    let time = try status(path).st_mtim
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// Whose a path is, a link itself not followed.
public func ownerID(of path: String) throws -> UInt32 { try status(path).st_uid }

/// Waits until a condition holds; false after the deadline. To leave the CPU to what it waits for, it looks
/// for at most half of the time, and the more seldom the longer it has waited: at last five times a second.
public func eventually(seconds: Double = 60, _ condition: () throws -> Bool) rethrows -> Bool {
    let start = lx_monotonic_nanoseconds()
    let deadline = start + Int64(seconds * 1e9)
    while true {
        let look = lx_monotonic_nanoseconds()
        if try condition() { return true }
        let now = lx_monotonic_nanoseconds()
        if now > deadline { return false }
        let pause = max(now - look, min(max(2_000_000, (now - start) / 20), 200_000_000))
        usleep(UInt32(min(pause, 1_000_000_000) / 1000))
    }
}
