internal import Glibc
internal import Posix
internal import SystemPackage

/// A program that runs in the place of this command: signals to this one go to it, its exit status is ours.
struct RunningChild {
    /// Gives the program a signal; `isTyped`: it is from the keys of a terminal, which tells all that run in
    /// its foreground. false while the program is just starting.
    typealias Delivery = (_ signal: Int32, _ isTyped: Bool) -> Bool

    private let child: Child
    private let deliver: Delivery
    private let limit: Double?

    private static let passed: [Int32] = [SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGTERM]
    /// How often a program that is just starting is looked for.
    private static let startingSeconds = 0.01

    /// Signals that are kept for the program, from now on.
    /// - Parameter others: signals that are delivered too.
    static func keepSignals(others: [Int32]) throws(Errno) -> Signals {
        try Signals(passed + others + [SIGCHLD])
    }

    /// For a command that goes on once the program has ended: from now on they end it, as any other.
    static func letSignalsThrough() { Signals.unblock(passed) }

    /// What the exit status is where the time was over, as timeout(1) has it.
    private static let timedOut: Int32 = 124
    /// So long a program may take to end by SIGTERM when its time is over.
    private static let endingSeconds = 5.0

    /// - Parameters:
    ///   - signals: kept since before anything was mounted for the program.
    ///   - limit: so many seconds it may run; nil: as long as it likes.
    ///   - start: starts it.
    static func run(
        _ signals: borrowing Signals, limit: Double? = nil, _ start: () throws -> (Child, Delivery)
    ) throws -> Int32 {
        // Not as typed ones: there was no program that a terminal could have told.
        var early: [Int32] = []
        while let number = signals.next() { if number != SIGCHLD { early.append(number) } }
        let (child, deliver) = try start()
        let running = RunningChild(child: child, deliver: deliver, limit: limit)
        return try running.wait(signals, passing: early)
    }

    private func wait(_ signals: borrowing Signals, passing early: [Int32]) throws -> Int32 {
        var waiting = early.map { (number: $0, isTyped: false) }
        var end = limit.map { Deadline(seconds: $0) }
        var isOver = false
        while true {
            // Before the wait: what it did may be told by no further signal.
            if let status = ended() { return isOver ? Self.timedOut : status }
            if end?.hasPassed ?? false {
                waiting.append((isOver ? SIGKILL : SIGTERM, false))
                end = isOver ? nil : Deadline(seconds: Self.endingSeconds)
                isOver = true
            }
            let deadline = waiting.isEmpty ? end : Deadline(seconds: Self.startingSeconds)
            _ = try Waiting.wait(for: [signals.raw], until: deadline)
            while let (number, isFromTerminal) = signals.nextWithOrigin() {
                if number != SIGCHLD { waiting.append((number, isFromTerminal)) }
            }
            waiting.removeAll { deliver($0.number, $0.isTyped) }
        }
    }

    /// - Returns: its exit status, 128 + N where signal N ended it; nil while it runs.
    private func ended() -> Int32? {
        var status: Int32 = 0
        guard waitpid(child.processID, &status, WNOHANG) == child.processID else { return nil }
        let signal = status & 0x7f
        return signal == 0 ? status >> 8 & 0xff : 128 + signal
    }
}
