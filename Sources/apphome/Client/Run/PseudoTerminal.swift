internal import CLinux
internal import Glibc
internal import Posix
internal import SystemPackage

/// The terminal that a program in the sandbox has in the place of this command's, with its size and settings.
/// What the person types goes there as long as the program lives; the person's own terminal, where the next
/// password is typed, is no stream and no session of anything in the sandbox.
// Unchecked: everything mutable is in `state`, a lock.
final class PseudoTerminal: @unchecked Sendable {
    /// What is taken of what the person types, and so how the terminal is set.
    private enum Taking {
        case nothing
        /// Lines, edited and shown by the terminal; or not shown, for a password.
        case lines, quietLines
        /// Each key, as the program's own terminal treats it.
        case keys
    }

    private struct State {
        var taking = Taking.nothing
        /// How the terminal was set before this command changed it.
        var saved: termios?
        /// Lines that the program's terminal will show once more.
        var echo: [UInt8] = []
        var isEnded = false
        /// The program's end.
        var slave: SharedDescriptor?
    }

    /// For 0, 1 and 2, whether it is the terminal.
    private let isTerminal: [Bool]
    private let (input, output): (Int32, Int32)
    /// Whether others may read and set the terminal too: `run … | less`, `cat | run …`.
    private let isShared: Bool
    private let master: SharedDescriptor
    /// A leaf. Held while the terminal is set.
    private let state = Lock(State())
    private let woken: WakeUp
    private let ended: WakeUp

    /// What `take` is told of.
    static let signals = [SIGWINCH, SIGCONT, SIGTSTP]
    private static let lookSeconds = 0.05
    /// More than a terminal keeps for its reader.
    private static let keptBytes = 1 << 20
    private static let signalForeground: UInt = 0x4004_5436  // TIOCSIG

    /// Whether one of this process's standard streams is a terminal.
    static var isWanted: Bool { terminals.contains(true) }
    private static var terminals: [Bool] { [0, 1, 2].map { isatty($0) == 1 } }

    /// nil where none of the streams is a terminal.
    init?() throws(Errno) {
        isTerminal = Self.terminals
        woken = try WakeUp()
        ended = try WakeUp()
        guard let first = isTerminal.firstIndex(of: true) else { return nil }
        input = Int32(first)
        output = isTerminal[1] ? 1 : isTerminal[2] ? 2 : 0
        var status = stat()
        fstat(1, &status)
        isShared = !isTerminal[0] || [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT)
        var ends: [Int32] = [-1, -1]
        try valueOrErrno(lx_open_terminal(&ends))
        master = SharedDescriptor(Descriptor(owning: ends[0]))
        let slave = SharedDescriptor(Descriptor(owning: ends[1]))
        state.withLock { $0.slave = slave }
        // What is in keys' mode by another's will is no model.
        if var settings = settings(of: input), !isShared || isCanonical(settings) {
            // Others write to it, and so it goes on ending lines.
            if isShared { settings.c_oflag &= ~tcflag_t(OPOST) }
            tcsetattr(slave.raw, TCSANOW, &settings)
        }
        takeSize()
    }

    /// The program's terminal; -1 after its end.
    var slave: Int32 { state.withLock { $0.slave?.raw } ?? -1 }

    /// The program's streams: its terminal where this command's own is.
    var streams: [Int32] { (0...2).map { isTerminal[Int($0)] ? slave : $0 } }

    /// Whether the program's standard input is the terminal.
    var isInput: Bool { isTerminal[0] }

    /// Carries what is typed and what is written while `body` runs the program, and until all is written.
    /// - Parameter body: ends with all that is in the sandbox.
    func carrying<R>(_ body: () throws -> R) throws -> R {
        let writer = try NativeThread(name: "terminal-output") { self.carryOutput() }
        let reader = try NativeThread(name: "terminal-input") { self.carryInput() }
        let result = Result { try body() }
        state.withLock {
            $0.isEnded = true
            $0.slave = nil
            set(.nothing, &$0)
        }
        woken.signal()
        ended.signal()
        // Another program of the pipeline may have taken the line that it was going to read.
        reader.detach()
        writer.join()
        return try result.get()
    }

    /// Does with a signal what a terminal does.
    /// - Parameter isTyped: it is from the terminal's keys.
    /// - Returns: false where it is for the program alone.
    func take(_ number: Int32, isTyped: Bool) -> Bool {
        switch number {
        case SIGWINCH: takeSize()
        case SIGCONT: woken.signal()
        case SIGTSTP: stop()
        case SIGINT, SIGQUIT:
            // Before the program has taken its terminal, nobody is in the foreground there. Not by the
            // group's number: another's may have it by now.
            guard isTyped, tcgetpgrp(master.raw) > 0 else { return false }
            _ = ioctl(master.raw, Self.signalForeground, number)
        default: return false
        }
        return true
    }

    /// Stops this command, and with it what the program shows.
    private func stop() {
        state.withLock {
            set(.nothing, &$0)
            kill(getpid(), SIGSTOP)
        }
        woken.signal()
    }

    private func takeSize() {
        var size = winsize()
        if ioctl(input, UInt(TIOCGWINSZ), &size) == 0 { _ = ioctl(master.raw, UInt(TIOCSWINSZ), &size) }
    }
}

// What is typed.
extension PseudoTerminal {
    private func carryInput() {
        var bytes = [UInt8](repeating: 0, count: 4096)
        while let taking = choose() {
            let awaited = taking == .nothing ? [woken.raw] : [woken.raw, input]
            let deadline = taking == .keys && !isShared ? nil : Deadline(seconds: Self.lookSeconds)
            guard let ready = try? Waiting.wait(for: awaited, until: deadline) else { return }
            if ready[0] { woken.clear() }
            // What the program has set meanwhile counts for what was typed meanwhile.
            guard ready.count > 1, ready[1], choose() == taking else { continue }
            let count = read(input, &bytes, bytes.count)
            guard count > 0 || taking != .keys, settings(of: input) != nil else { return }
            pass(bytes[..<max(0, count)], areLines: taking != .keys, isShown: taking == .lines)
        }
    }

    private func pass(_ typed: ArraySlice<UInt8>, areLines: Bool, isShown: Bool) {
        var bytes = Array(typed)
        if isShown { state.withLock { [bytes] in $0.echo = bytes } }
        // The terminal took the key for the end of what is typed, as the program's is to take it.
        if areLines, bytes.last != UInt8(ascii: "\n"), let settings = settings(of: master.raw) {
            bytes.append(withUnsafeBytes(of: settings.c_cc) { $0[Int(VEOF)] })
        }
        _ = writeAll(bytes, to: master.raw)
    }

    /// Decides what is taken now, and sets the terminal so.
    /// - Returns: nil when the program has ended.
    private func choose() -> Taking? {
        state.withLock { state in
            if state.isEnded { return nil }
            set(wanted(hasSet: state.saved != nil), &state)
            return state.taking
        }
    }

    private func wanted(hasSet: Bool) -> Taking {
        guard isForeground else { return .nothing }
        guard isShared else { return .keys }
        guard let own = settings(of: master.raw), let terminal = settings(of: input) else { return .nothing }
        if !isCanonical(own) { return .keys }
        // Another program of the pipeline has it.
        if !hasSet, !isCanonical(terminal) { return .nothing }
        if own.c_lflag & tcflag_t(ECHO) == 0 { return .quietLines }
        return isTerminal[0] ? .lines : .nothing
    }

    private func set(_ taking: Taking, _ state: inout State) {
        guard taking != state.taking else { return }
        state.taking = taking
        guard var settings = state.saved ?? settings(of: input) else { return }
        state.saved = settings
        switch taking {
        case .keys:
            cfmakeraw(&settings)
            if isShared { settings.c_oflag |= tcflag_t(OPOST) }
        case .quietLines: settings.c_lflag &= ~tcflag_t(ECHO)
        case .lines, .nothing: state.saved = nil
        }
        // In the background it is the shell's.
        if isForeground { tcsetattr(input, TCSANOW, &settings) }
    }

    /// Whether what is typed is for this command's job.
    private var isForeground: Bool {
        let group = tcgetpgrp(input)
        if group >= 0 { return group == getpgrp() }
        // It was root's, who gave it up to be the owner of the device: the session's leader still has it.
        let leader = try? Descriptor("/proc/\(getsid(0))/stat", flags: O_RDONLY).readAll(limitBytes: 4096)
        let fields = (leader ?? []).split(separator: UInt8(ascii: ")")).last?.split(separator: 0x20) ?? []
        let shown = fields.count > 5 ? String(decoding: fields[5], as: UTF8.self) : "-1"
        return ["-1", String(getpgrp())].contains(shown)
    }

    private func settings(of terminal: Int32) -> termios? {
        var settings = termios()
        return tcgetattr(terminal, &settings) == 0 ? settings : nil
    }

    private func isCanonical(_ settings: termios) -> Bool { settings.c_lflag & tcflag_t(ICANON) != 0 }
}

// What is written.
extension PseudoTerminal {
    /// Until the program has ended and what it wrote is shown: it may have handed its terminal on, to
    /// somebody who keeps it open and writes.
    private func carryOutput() {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        var leftBytes = Self.keptBytes
        while leftBytes > 0, let ready = try? Waiting.wait(for: [master.raw, ended.raw]), ready[0] {
            let count = read(master.raw, &bytes, bytes.count)
            guard count > 0 else { return }
            if ready[1] { leftBytes -= count }
            let written = withoutEcho(bytes[..<count])
            // Where the terminal is gone, the program is not to wait for it.
            _ = writeAll(written, to: output)
        }
    }

    private func withoutEcho(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        state.withLock { state in
            // It comes at once or not at all.
            defer { state.echo = [] }
            var bytes = Array(bytes)
            guard !state.echo.isEmpty, let range = bytes.firstRange(of: state.echo) else { return bytes }
            bytes.removeSubrange(range)
            return bytes
        }
    }

    private func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                _ = try? Waiting.wait(for: [descriptor], writable: true)
            } else {
                return false
            }
        }
        return true
    }
}
