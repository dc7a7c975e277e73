internal import CLinux
internal import CSuite
internal import Glibc

/// Runs the suite in a child, so that this process can end while a case is stuck.
///
/// A process one of whose threads waits in a file system that never answers cannot be ended, not even by
/// SIGKILL, and whoever waits for it would wait as long.
enum Supervisor {
    /// The child's word that it hangs.
    struct Hang {
        fileprivate let descriptor: Int32

        /// Lets the supervisor go, and the readers of this process's output with it.
        func tell() -> Never {
            var byte: UInt8 = 1
            write(descriptor, &byte, 1)
            for open in [descriptor, STDOUT_FILENO, STDERR_FILENO] { close(open) }
            _exit(1)
        }
    }

    /// - Returns: the exit status of `body`; 1 where it hung or was ended by a signal.
    static func run(_ body: (Hang) -> Int32) -> Int32 {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return 1 }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let pid = lx_fork()
        if pid == 0 {
            close(ends[0])
            let status = body(Hang(descriptor: ends[1]))
            exit(status)
        }
        close(ends[1])
        guard pid > 0 else { return 1 }
        var byte: UInt8 = 0
        // End of file: the child has ended, and can be waited for.
        if read(ends[0], &byte, 1) == 1 { return 1 }
        let status = lx_wait_status(pid)
        if status >= 256 { Report.refusal("ended by signal \(status - 256)") }
        return status < 256 ? status : 1
    }
}
