internal import CLinux
internal import CSuite
internal import Glibc

/// Other identities, other processes, programs, sockets.
extension Step {
    /// Runs `steps` with the ids of an ordinary user. In root's runs only.
    static func asUser(_ uid: UInt32, gid: UInt32? = nil, groups: [UInt32] = [], _ steps: Step...) -> Step {
        Step("as \(uid)", around: steps, needsRoot: true) { world in
            let result = lx_thread_become(uid, gid ?? uid, groups, UInt64(groups.count))
            if result < 0 { return Answer.negated(result) }
            let text = steps.run(in: world)
            let back = lx_thread_become_root()
            return back < 0 ? "cannot return: " + Answer.negated(back) : "[\(text)]"
        }
    }

    /// Starts another process that runs `steps`; goes on when that one is at `pause` or `ready`, or done.
    static func child(_ name: String, _ steps: Step...) -> Step {
        Step("child", around: steps) { world in
            world.children[name] = Child.start(steps, world: world)
            return world.children[name] == nil ? Answer.name(errno) : "runs"
        }
    }

    /// In a child: lets the parent go on, and waits for its `finish`.
    static func pause() -> Step {
        Step("pause") { world in
            guard let socket = world.parent else { return "no parent" }
            Child.ready(socket)
            var byte: UInt8 = 0
            return recv(socket, &byte, 1, 0) == 1 ? "over" : "alone"
        }
    }

    /// In a child: lets the parent go on.
    static func ready() -> Step {
        Step("ready") { world in
            world.parent.map(Child.ready)
            return "said"
        }
    }

    /// Lets a child go on, waits for its end and tells what its steps showed.
    static func finish(_ name: String) -> Step {
        Step("child ended") { world in
            world.children.removeValue(forKey: name).map { "[\($0.reap())]" } ?? "no child"
        }
    }

    /// Copies a program of the system to `path`.
    static func copyProgram(_ program: String, to path: String, mode: mode_t = 0o755) -> Step {
        Step("copy program") { _ in
            let source = Glibc.open(program, O_RDONLY | lx_o_cloexec)
            let target = Name.with(path) { Glibc.open($0, O_WRONLY | O_CREAT | lx_o_cloexec, mode) }
            defer { for file in [source, target] { Glibc.close(file) } }
            guard source >= 0, target >= 0 else { return Answer.name(errno) }
            var buffer = [UInt8](repeating: 0, count: 65536)
            while true {
                let count = Glibc.read(source, &buffer, buffer.count)
                if count <= 0 { return Answer.of(count) }
                if Glibc.write(target, buffer, count) != count { return Answer.name(errno) }
            }
        }
    }

    /// Runs the program and tells how it ended.
    static func execute(_ path: String) -> Step {
        Step("run") { _ in
            var pid: pid_t = 0
            let number = withArguments(path) { posix_spawn(&pid, path, nil, nil, $0, nil) }
            return number == 0 ? "exit \(lx_wait_status(pid))" : Answer.name(number)
        }
    }

    /// Starts the program, runs `steps`, and ends it.
    static func whileRunning(_ path: String, _ argument: String, _ steps: Step...) -> Step {
        Step("while running", around: steps) { world in
            var pid: pid_t = 0
            let number = withArguments(path, argument) { posix_spawn(&pid, path, nil, nil, $0, nil) }
            guard number == 0 else { return Answer.name(number) }
            let text = steps.run(in: world)
            kill(pid, SIGKILL)
            _ = lx_wait_status(pid)
            return "[\(text)]"
        }
    }

    private static func withArguments(
        _ arguments: String..., body: ([UnsafeMutablePointer<CChar>?]) -> Int32
    ) -> Int32 {
        let copies: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }

    /// Binds a socket to a name.
    static func bind(_ path: String, as key: String) -> Step {
        withSocket("bind", path, as: key) { socket, address, size in
            let result = Glibc.bind(socket, address, size)
            return result < 0 ? result : listen(socket, 1)
        }
    }

    static func connect(_ path: String, as key: String) -> Step {
        withSocket("connect", path, as: key) { Glibc.connect($0, $1, $2) }
    }

    private static func withSocket(
        _ verb: String, _ path: String, as key: String,
        _ call: @escaping @Sendable (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Step {
        Step(verb) { world in
            let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
            world.keep(socket(AF_UNIX, kind, 0), as: key)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let name = Name.bytes(path)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name.prefix($0.count)) }
            return withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
                    return Answer.of(call(world.descriptor(key), $0, size))
                }
            }
        }
    }
}
