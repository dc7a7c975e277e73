internal import CLinux
internal import Glibc
internal import Posix

/// fusermount3, which mounts and unmounts FUSE for ordinary users (it is set-user-ID root).
enum Fusermount {
    private static let limitSeconds = 60.0
    private static let environmentName = "_FUSE_COMMFD"

    /// Mounts at `path`.
    /// - Returns: the open `/dev/fuse`, which the program sends over a socket named in its environment.
    static func mount(options: String, at path: String) throws -> Descriptor {
        let ends = try UnixSocket.pair()
        return try ends.split { ours, theirs in
            let socket = theirs.raw
            let run = try start(["-o", options, "--", path], passing: socket)
            closeNow(theirs)
            let device = receiveDescriptor(from: ours)
            try finish(run, at: path)
            guard let device else { throw MountError.helperFailed("it sent no descriptor for \(path)") }
            return device
        }
    }

    /// Unmounts `path`; `lazy` where it may be busy.
    /// - Parameter rights: of the user who is to unmount it; nil: this process's own.
    static func unmount(_ path: String, lazy: Bool, as rights: UserRights? = nil) throws {
        let arguments = lazy ? ["-u", "-z", "--", path] : ["-u", "--", path]
        try finish(try start(arguments, passing: nil, as: rights), at: path)
    }

    private struct Run {
        let child: Child
        let output: SharedDescriptor
    }

    private static func start(
        _ arguments: [String], passing socket: Int32?, as rights: UserRights? = nil
    ) throws -> Run {
        guard let program = path() else { throw MountError.noFusermount }
        let null = try Descriptor("/dev/null", flags: O_RDWR)
        var raw: [Int32] = [-1, -1]
        try valueOrErrno(lx_pipe(&raw))
        let output = SharedDescriptor(Descriptor(owning: raw[0]))
        let writer = Descriptor(owning: raw[1])
        let descriptors = [null.raw, null.raw, writer.raw] + (socket.map { [$0] } ?? [])
        let environment = ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C", "\(environmentName)=3"]
        let child = try Child(
            program, arguments: arguments, environment: environment, descriptors: descriptors, rights: rights)
        return Run(child: child, output: output)
    }

    private static func finish(_ run: Run, at path: String) throws {
        // Whose mount it is may have stopped it. What it says fits into the pipe.
        guard run.child.isOver(by: Deadline(seconds: limitSeconds)) else {
            throw MountError.helperFailed("it does not end, at \(path)")
        }
        let output = (try? run.output.descriptor.readAll(limitBytes: 64 << 10)) ?? []
        let status = try run.child.wait()
        guard status != 0 else { return }
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n").map { line in
            line.text(after: "fusermount3: ")
        }
        let text = lines.joined(separator: "; ")
        if text.contains("open /dev/fuse: Permission denied") { throw MountError.fuseDeviceClosed }
        if text.contains("Device or resource busy") { throw MountError.busy(path, holders: []) }
        if text.contains("Operation not permitted") { throw MountError.notPermitted(path) }
        if text.contains("not found in") { throw MountError.ofAnotherUser(path) }
        throw MountError.helperFailed(text.isEmpty ? "status \(status)" : text)
    }

    private static func path() -> String? {
        let places =
            (getenv("PATH").map { String(cString: $0) } ?? "").split(separator: ":") + ["/usr/bin", "/bin"]
        return places.lazy.map { "\($0)/fusermount3" }.first { access($0, X_OK) == 0 }
    }

    /// The descriptor that comes with the program's one byte; nil when it ends without.
    private static func receiveDescriptor(from socket: borrowing Descriptor) -> Descriptor? {
        var byte: UInt8 = 0
        var passed: Int32 = -1
        var count: UInt32 = 0
        guard let ready = try? Waiting.wait(for: [socket.raw]), ready[0] else { return nil }
        guard lx_receive(socket.raw, &byte, 1, &passed, 1, &count) > 0, count == 1 else { return nil }
        return Descriptor(owning: passed)
    }

    private static func closeNow(_ descriptor: consuming Descriptor) {}
}

extension Substring {
    /// What follows the first `marker`; all of it where there is none.
    fileprivate func text(after marker: String) -> Substring {
        firstRange(of: marker).map { self[$0.upperBound...] } ?? self
    }
}
