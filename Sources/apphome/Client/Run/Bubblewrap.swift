internal import CLinux
internal import FoundationEssentials
internal import Glibc
internal import Posix
internal import SystemPackage
internal import Wire

/// The program bubblewrap, which makes the sandbox.
struct Bubblewrap {
    private let path: String
    private static let env = "/usr/bin/env"
    /// A terminal sends these to everybody in its foreground; the program decides what becomes of them, and
    /// bubblewrap, which would take the program with it, is not to end by them.
    private static let terminalSignals = "INT,QUIT,HUP,TERM"
    /// What starts the program: env(1) undoes what bubblewrap was given to ignore, and would take the first
    /// words for its own where they look so; nice(1) leaves the priority as it is, and the words as they are.
    private static let starter = [
        env, "--default-signal=" + terminalSignals, "/usr/bin/nice", "-n", "0", "--",
    ]

    /// Tries it with a program that does nothing: its words on a failure would be taken for the program's.
    /// - Throws: where it is not installed, or does not work here.
    init(hasNetwork: Bool) throws {
        guard let path = executable("bwrap", in: "/usr/local/bin:/usr/bin:/bin") else {
            throw CommandFailure(
                "bubblewrap is not here: apt-get install bubblewrap, or use: apphome run --unconfined")
        }
        self.path = path
        if let complaint = try Self.complaint(of: path, hasNetwork: hasNetwork) {
            throw Self.failure(complaint)
        }
    }

    /// - Returns: its first line of complaint; nil where it works.
    private static func complaint(of path: String, hasNetwork: Bool) throws -> String? {
        let pipe = try Pipe()
        let null = try Descriptor("/dev/null", flags: O_RDWR)
        let filter = try SystemCallFilter.file()
        let child = try Child(
            path, arguments: Sandbox.base(hasNetwork: hasNetwork, filter: 3) + ["/usr/bin/true"],
            environment: [], descriptors: [null.raw, null.raw, pipe.writer.raw, filter.raw])
        let text = String(decoding: try pipe.readToEnd(), as: UTF8.self)
        guard try child.wait() != 0 else { return nil }
        return printable(text.split(separator: "\n").first.map(String.init) ?? "bwrap: no reason given")
    }

    private static func failure(_ complaint: String) -> CommandFailure {
        let isRefused = ["namespace", "uid map", "loopback", "ermission denied", "not permitted"]
            .contains { complaint.contains($0) }
        return CommandFailure(
            isRefused
                ? "bubblewrap may make no namespace here (\(complaint)): where Ubuntu's AppArmor keeps it"
                    + " from that, run: sudo mount-scripts/allow-run; a container needs --cap-add SYS_ADMIN"
                    + " and --security-opt seccomp=unconfined, apparmor=unconfined, systempaths=unconfined;"
                    + " or use: apphome run --unconfined"
                : "bubblewrap does not work here (\(complaint)); use: apphome run --unconfined")
    }

    /// Runs a command in a sandbox.
    /// - Parameter environment: the command's, and nobody else's: bubblewrap itself has none.
    /// - Returns: the command's exit status.
    /// - Throws: where bubblewrap did not come to start it; it has said why.
    func run(
        _ command: [String], in sandbox: Sandbox, startingIn directory: String,
        environment: [(name: String, value: String)], userDirectories: String?,
        _ signals: borrowing Signals
    ) throws -> Int32 {
        var sandbox = sandbox
        let status = try Pipe()
        let (statusNumber, filterNumber, wordsNumber): (Int32, Int32, Int32) = (3, 4, 5)
        sandbox.userDirectories = userDirectories == nil ? nil : wordsNumber + 1
        var files = [try SystemCallFilter.file()]
        let words =
            sandbox.arguments(startingIn: directory, filter: filterNumber)
            + environment.flatMap { ["--setenv", $0.name, $0.value] }
        // Not on the command line, which every user of this system can read.
        files.append(SharedDescriptor(try Descriptor.holding(words.flatMap { Array($0.utf8) + [0] })))
        if let userDirectories {
            files.append(SharedDescriptor(try Descriptor.holding(Array(userDirectories.utf8))))
        }
        let report = StatusReport(status)
        let code = try RunningChild.run(signals, hasTerminal: Sandbox.hasTerminal) {
            let child = try Child(
                Self.env,
                arguments: [
                    "--ignore-signal=" + Self.terminalSignals, path, "--args", String(wordsNumber),
                    "--json-status-fd", String(statusNumber),
                ] + Self.starter + command,
                environment: [], descriptors: [0, 1, 2, status.writer.raw] + files.map(\.raw))
            status.closeWriter()
            return (child, { report.programID })
        }
        guard report.hasEnded else {
            throw CommandFailure("bubblewrap did not start the program (see above)")
        }
        return code
    }
}

/// What bubblewrap tells of itself: the number of the sandbox's first process, and at the end the exit code.
private final class StatusReport {
    private let pipe: Pipe
    private var text = ""

    init(_ pipe: Pipe) {
        self.pipe = pipe
        _ = fcntl(pipe.reader.raw, F_SETFL, O_NONBLOCK)
    }

    var hasEnded: Bool {
        read()
        return text.contains("\"exit-code\"")
    }

    /// The program: the first child of the sandbox's first process. nil while it is starting.
    var programID: Int32? {
        read()
        guard let start = text.firstRange(of: "\"child-pid\":")?.upperBound else { return nil }
        let first = text[start...].drop { $0 == " " }.prefix { $0.isNumber }
        guard let first = Int32(first) else { return nil }
        guard let file = try? Descriptor("/proc/\(first)/task/\(first)/children", flags: 0),
            let children = try? file.readAll(limitBytes: 1 << 16)
        else { return nil }
        return String(decoding: children, as: UTF8.self).split(separator: " ").first.flatMap { Int32($0) }
    }

    private func read() {
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Glibc.read(pipe.reader.raw, &chunk, chunk.count)
            guard count > 0 else { return }
            text += String(decoding: chunk[..<count], as: UTF8.self)
        }
    }
}

/// A pipe whose ends are closed one by one.
private final class Pipe {
    let reader: SharedDescriptor
    private var openWriter: SharedDescriptor?

    init() throws(Errno) {
        var ends: [Int32] = [-1, -1]
        try valueOrErrno(lx_pipe(&ends))
        reader = SharedDescriptor(Descriptor(owning: ends[0]))
        let writer = SharedDescriptor(Descriptor(owning: ends[1]))
        openWriter = writer
    }

    var writer: SharedDescriptor { openWriter ?? reader }

    func closeWriter() { openWriter = nil }

    func readToEnd() throws(Errno) -> [UInt8] {
        closeWriter()
        return try reader.descriptor.readAll(limitBytes: 1 << 16)
    }
}

/// Where a program is, by a search path; nil where it is not there.
func executable(_ name: String, in path: String) -> String? {
    if name.hasSlash { return access(name, X_OK) == 0 ? name : nil }
    return path.split(separator: ":").map { $0 + "/" + name }.first { access($0, X_OK) == 0 }
}
