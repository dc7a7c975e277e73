internal import CLinux
internal import CSuite
internal import Glibc

/// A forked process that runs steps beside the case: another owner of locks, or one that may crash.
///
/// Over one socket it says that it is ready (or already done), is told to go on, and writes its text.
struct Child {
    let pid: Int32
    let socket: Int32

    /// Forks; returns when the child has run up to its `pause` or `ready` step, or ended.
    /// - Returns: nil where no process can be made.
    static func start(_ steps: [Step], world: World) -> Child? {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
        let pid = lx_fork()
        if pid == 0 {
            close(ends[0])
            world.parent = ends[1]
            live(steps, world: world, socket: ends[1])
        }
        close(ends[1])
        guard pid > 0 else {
            close(ends[0])
            return nil
        }
        var byte: UInt8 = 0
        _ = recv(ends[0], &byte, 1, 0)
        return Child(pid: pid, socket: ends[0])
    }

    private static func live(_ steps: [Step], world: World, socket: Int32) -> Never {
        // The parent's other children are not this process's own.
        world.children = [:]
        // A child that is stuck must not keep the readers of the suite's output waiting.
        let nowhere = open("/dev/null", O_RDWR | lx_o_cloexec)
        for standard in [STDOUT_FILENO, STDERR_FILENO] { dup2(nowhere, standard) }
        let text = Array(steps.run(in: world).utf8)
        ready(socket)
        _ = send(socket, text, text.count, Int32(MSG_NOSIGNAL))
        _exit(0)
    }

    /// Said by the child; what is said twice is swallowed by `reap`.
    static func ready(_ socket: Int32) {
        var byte: UInt8 = 0
        _ = send(socket, &byte, 1, Int32(MSG_NOSIGNAL))
    }

    /// Lets the child go on, and waits for its end.
    /// - Returns: the text of its steps, or the signal that ended it.
    func reap() -> String {
        Child.ready(socket)
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(socket, &buffer, buffer.count, 0)
            if count <= 0 { break }
            text += buffer[..<count].filter { $0 != 0 }
        }
        close(socket)
        let status = lx_wait_status(pid)
        if status >= 256, let name = lx_signal_name(status - 256) {
            return "ended by SIG" + String(cString: name)
        }
        return String(decoding: text, as: UTF8.self)
    }
}
