internal import ArgumentParser
internal import CLinux
internal import Glibc
internal import Posix
internal import Wire

/// Where a backup's password comes from: never the command line, which every user of the system can read.
struct PasswordOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Take the password from this variable.", valueName: "name"))
    var passwordEnv: String?
    @Option(help: ArgumentHelp("Take it from the first line of this file.", valueName: "file"))
    var passwordFile: String?
    @Option(help: ArgumentHelp("Take it from the first line of this open descriptor.", valueName: "n"))
    var passwordFd: Int32?

    private static let limitBytes = 4096

    func validate() throws {
        let given = [passwordEnv != nil, passwordFile != nil, passwordFd != nil].count { $0 }
        if given > 1 { throw ValidationError("give one of --password-env, --password-file, --password-fd") }
    }

    var isGiven: Bool { passwordEnv != nil || passwordFile != nil || passwordFd != nil }

    /// The password that an option names; nil where none does.
    /// - Parameter open: opens a file that a person named.
    func given(
        _ open: (_ path: String, _ purpose: String) throws -> OpenedFile = { try OpenedFile($0, $1) }
    ) throws -> String? {
        try Self.taken(fromVariable: passwordEnv, file: passwordFile, open)
            ?? passwordFd.map { try Self.checked(Self.firstLine(of: $0)) }
    }

    /// The password in a variable, or in the first line of a file; nil where neither is named.
    static func taken(
        fromVariable variable: String?, file: String?,
        _ open: (_ path: String, _ purpose: String) throws -> OpenedFile = { try OpenedFile($0, $1) }
    ) throws -> String? {
        if let variable {
            guard let value = environment(variable) else {
                throw CommandFailure(
                    "the variable \(variable) is not there, or empty: set it, or use --password-file")
            }
            return try checked(value)
        }
        guard let file else { return nil }
        let opened = try open(file, "read the password").descriptor
        return try withExtendedLifetime(opened) { try checked(firstLine(of: opened.raw)) }
    }

    /// Asks on the terminal, without showing what is typed.
    /// - Parameter isNew: asks twice.
    /// - Throws: where standard input is no terminal.
    static func ask(isNew: Bool) throws -> String {
        guard isatty(STDIN_FILENO) == 1 else {
            throw CommandFailure(
                "the backup wants a password, and standard input is no terminal: give --password-file FILE, "
                    + "--password-env NAME or --password-fd N")
        }
        let password = try hidden("Password of the backup: ")
        guard !password.isEmpty else { throw CommandFailure("the password is empty: give one") }
        if isNew, try hidden("Again: ") != password {
            throw CommandFailure("the two passwords differ: try again")
        }
        return password
    }

    /// An open descriptor that a password can be read from, as `--password-fd` does.
    static func pipe(_ password: String) throws -> SharedDescriptor {
        var ends: [Int32] = [-1, -1]
        try valueOrErrno(lx_pipe(&ends))
        let reader = SharedDescriptor(Descriptor(owning: ends[0]))
        // At most `limitBytes`: a pipe holds more.
        try Descriptor(owning: ends[1]).writeAll(Array("\(password)\n".utf8))
        return reader
    }

    private static func hidden(_ prompt: String) throws -> String {
        var shown = termios()
        guard tcgetattr(STDIN_FILENO, &shown) == 0 else {
            throw CommandFailure("cannot ask on this terminal")
        }
        var silent = shown
        silent.c_lflag &= ~tcflag_t(ECHO)
        // Who ends the command meanwhile is not to be left with a terminal that shows nothing.
        var mask = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &mask)
        let signals = try Signals([SIGINT, SIGTERM, SIGHUP, SIGQUIT])
        printError(prompt, terminator: "")
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
        defer {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown)
            printError("")
            pthread_sigmask(SIG_SETMASK, &mask, nil)
        }
        _ = try Waiting.wait(for: [signals.raw, STDIN_FILENO])
        if let number = signals.next() { throw ExitCode(128 + number) }
        guard let line = readLine() else { throw CommandFailure("no password was given") }
        return line
    }

    private static func checked(_ password: String) throws -> String {
        guard !password.isEmpty else { throw CommandFailure("the password is empty: give one") }
        return password
    }

    private static func firstLine(of file: Int32) throws -> String {
        var bytes = [UInt8](repeating: 0, count: limitBytes)
        var count = 0
        while count < bytes.count, !bytes[..<count].contains(UInt8(ascii: "\n")) {
            let got = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress?.advanced(by: count), 1) }
            guard got >= 0 else { throw CommandFailure("cannot read the password: give a readable file") }
            if got == 0 { break }
            count += got
        }
        var line = bytes[..<count]
        if line.last == UInt8(ascii: "\n") { line.removeLast() }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        guard count < limitBytes, let text = String(validating: line, as: UTF8.self) else {
            throw CommandFailure("the password is no line of UTF-8 text below 4 KB: give another file")
        }
        return text
    }
}
