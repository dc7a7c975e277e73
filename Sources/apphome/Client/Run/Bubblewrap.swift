internal import CLinux
internal import FoundationEssentials
internal import Glibc
internal import Posix
internal import SystemPackage
internal import Wire

/// The program bubblewrap, which makes the sandbox.
struct Bubblewrap {
    /// What starts bubblewrap, with the words before its own.
    private let beginning: [String]
    private static let env = "/usr/bin/env"
    private static let setsid = "/usr/bin/setsid"
    /// A terminal sends these to everybody in its foreground; the program decides what becomes of them, and
    /// bubblewrap, which would take the program with it, is not to end by them.
    private static let terminalSignals = "INT,QUIT,HUP,TERM"
    /// It stands in no folder of the person's, whose mount it would keep busy.
    private static let inFront = [env, "--chdir=/", "--ignore-signal=" + terminalSignals]
    /// Nothing that is mounted outside afterwards comes into the sandbox: bubblewrap alone would let it in.
    private static let apart = [
        "/usr/bin/unshare", "--user", "--map-current-user", "--mount", "--propagation", "private", "--",
    ]
    /// What starts the program: env(1) undoes what bubblewrap was given to ignore, and would take the first
    /// words for its own where they look so; nice(1) leaves the priority as it is, and the words as they are.
    private static var starter: [String] {
        // The limit of processes is the sandbox's own only once that has its users. A core file of this limit
        // is made by nobody, the system's collector of them, which root runs outside, included.
        let processes = limit(__RLIMIT_NPROC, 4096)
        // The user's descriptors that are on their way through sockets are counted together, and whoever may
        // have fewer open than there are can send none.
        let (files, mostFiles) = limits(RLIMIT_NOFILE)
        let limits = [
            "/usr/bin/prlimit", "--nproc=\(processes)", "--core=\(limit(RLIMIT_CORE, 1))",
            "--nofile=\(min(files, mostFiles / 2)):\(mostFiles / 2)",
        ]
        return limits + [env, "--default-signal=" + terminalSignals, "/usr/bin/nice", "-n", "0", "--"]
    }

    private static func limit(_ resource: __rlimit_resource, _ most: UInt) -> UInt {
        min(limits(resource).hard, most)
    }

    private static func limits(_ resource: __rlimit_resource) -> (soft: UInt, hard: UInt) {
        var own = rlimit()
        getrlimit(__rlimit_resource_t(resource.rawValue), &own)
        return (own.rlim_cur, own.rlim_max)
    }

    /// Tries it with a program that does nothing: its words on a failure would be taken for the program's.
    /// - Parameter remedy: what else a person can do where it does not work; nil: nothing.
    /// - Throws: where it is not installed, or does not work here.
    init(hasNetwork: Bool, remedy: String? = nil) throws {
        let or = remedy.map { "; " + $0 } ?? ""
        guard let path = executable("bwrap", in: "/usr/local/bin:/usr/bin:/bin") else {
            throw CommandFailure("bubblewrap is not here: apt-get install bubblewrap\(or)")
        }
        let inFront = Self.inFront + Self.apart + [path]
        if try Self.complaint(of: inFront, hasNetwork: hasNetwork) == nil {
            beginning = inFront
            return
        }
        // Where AppArmor lets bubblewrap alone make namespaces, mounts made later are seen.
        beginning = Self.inFront + [path]
        if let complaint = try Self.complaint(of: beginning, hasNetwork: hasNetwork) {
            throw Self.failure(complaint, or)
        }
    }

    /// - Returns: its first line of complaint; nil where it works.
    private static func complaint(of beginning: [String], hasNetwork: Bool) throws -> String? {
        let pipe = try Pipe()
        let null = try Descriptor("/dev/null", flags: O_RDWR)
        let filter = try SystemCallFilter.file()
        let child = try Child(
            env,
            arguments: beginning.dropFirst() + Sandbox.base(hasNetwork: hasNetwork, filter: 3)
                + [setsid] + starter + ["/usr/bin/true"],
            environment: [], descriptors: [null.raw, null.raw, pipe.writer.raw, filter.raw])
        let text = String(decoding: try pipe.readToEnd(), as: UTF8.self)
        guard try child.wait() != 0 else { return nil }
        return printable(text.split(separator: "\n").first.map(String.init) ?? "bwrap: no reason given")
    }

    private static func failure(_ complaint: String, _ or: String) -> CommandFailure {
        let isRefused = ["namespace", "uid map", "loopback", "ermission denied", "not permitted"]
            .contains { complaint.contains($0) }
        return CommandFailure(
            isRefused
                ? "bubblewrap may make no namespace here (\(complaint)): where Ubuntu's AppArmor keeps it"
                    + " from that: sudo \(HelpingScript.allowRun.path); a container needs --cap-add SYS_ADMIN"
                    + " and --security-opt seccomp=unconfined, apparmor=unconfined, systempaths=unconfined"
                    + or
                : "bubblewrap does not work here (\(complaint))\(or)")
    }

    /// What starts the program in a session of its own with its terminal, which setsid(1) takes from the
    /// standard input.
    /// - Parameter input: the descriptor with the program's standard input, where that is another.
    private static func sessionStarter(_ terminal: PseudoTerminal?, input: Int) -> [String] {
        guard let terminal else { return starter }
        let redirecting = ["/bin/sh", "-c", "exec \"$@\" <&\(input) \(input)<&-", "sh"]
        return [setsid, "--ctty"] + (terminal.isInput ? [] : redirecting) + starter
    }

    /// Runs a command in a sandbox, and waits until nothing of it is left.
    /// - Parameters:
    ///   - environment: the command's, and nobody else's: bubblewrap itself has none.
    ///   - limit: so many seconds it may run; nil: as long as it likes.
    /// - Returns: the command's exit status, and what it left outside of the home: nil where that is not
    /// known.
    /// - Throws: where bubblewrap did not come to start it; it has said why.
    func run(
        _ command: [String], in sandbox: Sandbox, startingIn directory: String,
        environment: [(name: String, value: String)], limit: Double?, _ signals: borrowing Signals
    ) throws -> (status: Int32, left: LeftOutside?) {
        let report = StatusReport(try Pipe())
        var outside: OutsideFolders?
        let terminal: PseudoTerminal?
        do { terminal = try PseudoTerminal() } catch {
            throw CommandFailure("cannot make a terminal for the program: \(error)")
        }
        let start = {
            let gate = try Pipe()
            let started = try self.start(
                command, in: sandbox, startingIn: directory, environment: environment, terminal, report, gate)
            outside = OutsideFolders(
                of: report, home: sandbox.innerHome, until: Deadline(seconds: Self.makingSeconds))
            // The program begins.
            gate.closeWriter()
            return started
        }
        try valueOrErrno(lx_adopt_orphans())
        let runToEnd = { (signals: borrowing Signals) in
            defer { report.waitForEnd() }
            return try RunningChild.run(signals, limit: limit, start)
        }
        let code = try terminal?.carrying { try runToEnd(signals) } ?? runToEnd(signals)
        guard report.hasEnded else {
            throw CommandFailure("bubblewrap did not start the program (see above)")
        }
        return (code, outside?.left)
    }

    /// How long the sandbox is waited for, which comes without that too.
    private static let makingSeconds = 10.0

    private func start(
        _ command: [String], in sandbox: Sandbox, startingIn directory: String,
        environment: [(name: String, value: String)], _ terminal: PseudoTerminal?, _ report: StatusReport,
        _ gate: Pipe
    ) throws -> (Child, RunningChild.Delivery) {
        let (statusNumber, gateNumber, filterNumber, wordsNumber): (Int32, Int32, Int32, Int32) = (3, 4, 5, 6)
        var files = [gate.reader, try SystemCallFilter.file()]
        let shown = sandbox.files
        let words =
            sandbox.arguments(
                startingIn: directory, filter: filterNumber,
                files: shown.enumerated().map { ($1.path, wordsNumber + 1 + Int32($0)) })
            + environment.flatMap { ["--setenv", $0.name, $0.value] }
        // Not on the command line, which every user of this system can read.
        files.append(SharedDescriptor(try Descriptor.holding(words.flatMap { Array($0.utf8) + [0] })))
        files += try shown.map { SharedDescriptor(try Descriptor.holding(Array($0.content.utf8))) }
        var descriptors = (terminal?.streams ?? [0, 1, 2]) + [report.pipe.writer.raw] + files.map(\.raw)
        let session = Self.sessionStarter(terminal, input: descriptors.count)
        if let terminal, !terminal.isInput {
            descriptors.append(0)
            descriptors[0] = terminal.slave
        }
        let child = try Child(
            Self.env,
            arguments: beginning.dropFirst() + [
                "--args", String(wordsNumber), "--json-status-fd", String(statusNumber),
                "--block-fd", String(gateNumber),
            ] + session + command,
            environment: [], descriptors: descriptors)
        report.pipe.closeWriter()
        return (
            child,
            { signal, isTyped in
                if terminal?.take(signal, isTyped: isTyped) == true { return true }
                guard let program = report.programID(for: signal) else { return false }
                kill(program, signal)
                // One that has stopped itself would keep a terminal that is no shell's.
                if [SIGTERM, SIGHUP].contains(signal) { kill(program, SIGCONT) }
                return true
            }
        )
    }
}

/// What bubblewrap tells of itself: the number of the sandbox's first process, and at the end the exit code.
final class StatusReport {
    fileprivate let pipe: Pipe
    private var text = ""
    private var hasStarted = false
    /// Bubblewrap has ended, and tells nothing more.
    private(set) var isOver = false
    private static let endingSeconds = 10.0

    fileprivate init(_ pipe: Pipe) {
        self.pipe = pipe
        _ = fcntl(pipe.reader.raw, F_SETFL, O_NONBLOCK)
    }

    var hasEnded: Bool {
        read()
        return text.contains("\"exit-code\"")
    }

    /// The sandbox's first process; nil while there is none.
    var firstID: Int32? {
        read()
        guard let start = text.firstRange(of: "\"child-pid\":")?.upperBound else { return nil }
        return Int32(text[start...].drop { $0 == " " }.prefix { $0.isNumber })
    }

    /// Waits until the sandbox's first process is gone, and so all others: until then they hold the mounts.
    /// Once bubblewrap itself has ended it is this process's child.
    func waitForEnd() {
        guard let first = firstID else { return }
        let deadline = Deadline(seconds: Self.endingSeconds)
        let process = Descriptor(owning: lx_process(first))
        while waitpid(first, nil, WNOHANG) == 0, !deadline.hasPassed {
            _ = try? Waiting.wait(for: [process.raw], until: deadline)
        }
    }

    /// The program: the first child of the sandbox's first process. nil while it is starting, and would lose
    /// the signal.
    func programID(for signal: Int32) -> Int32? {
        guard let program = programID else { return nil }
        if !hasStarted { hasStarted = Self.ignored(by: program) & Self.ignoredFirst != Self.ignoredFirst }
        return hasStarted || Self.ignoredFirst & 1 << UInt64(signal - 1) == 0 ? program : nil
    }

    /// What bubblewrap was given to ignore: HUP, INT, QUIT, TERM, as /proc shows them.
    private static let ignoredFirst: UInt64 = 0x4007

    private static func ignored(by process: Int32) -> UInt64 {
        guard let status = systemText("/proc/\(process)/status"),
            let start = status.firstRange(of: "SigIgn:\t")?.upperBound
        else { return 0 }
        return UInt64(status[start...].prefix(16), radix: 16) ?? 0
    }

    private var programID: Int32? {
        guard let first = firstID, let children = systemText("/proc/\(first)/task/\(first)/children") else {
            return nil
        }
        return children.split(separator: " ").first.flatMap { Int32($0) }
    }

    private func read() {
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Glibc.read(pipe.reader.raw, &chunk, chunk.count)
            if count == 0 { isOver = true }
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
