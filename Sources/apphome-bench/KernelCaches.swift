import CLinux
import Glibc
import Posix
import SystemPackage

/// The kernel's caches of names, attributes and file content.
enum KernelCaches {
    /// Only root may drop them. To be asked first by a thread that is root's where the process is.
    static var canDrop: Bool { geteuid() == 0 && dropper != nil }

    /// Steps run with other users' rights.
    private static let dropper = try? UserThread(userID: nil)

    /// Drops clean pages, dentries and inodes of every file system, then gives FUSE servers time to take
    /// the FORGETs that this sends, which would otherwise compete with the timed calls.
    static func drop() throws(Errno) {
        guard let dropper else { throw .notPermitted }
        try dropper.run { () throws(Errno) in
            let control = try Descriptor("/proc/sys/vm/drop_caches", flags: O_WRONLY)
            _ = try valueOrErrno(lx_pwrite(control.raw, "3", 1, 0))
        }
        var pause = timespec(tv_sec: 0, tv_nsec: 50_000_000)
        nanosleep(&pause, nil)
    }
}
