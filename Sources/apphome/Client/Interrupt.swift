internal import Glibc
internal import Posix
internal import Wire

/// SIGINT and SIGTERM while a daemon works for this command: the first asks it to stop, and its answer is
/// still waited for; the second ends the command at once. Both are this object's as long as it lives.
final class Interrupt {
    /// As a shell has it of a program that SIGINT ended.
    static let exitStatus: Int32 = 128 + SIGINT

    private static let numbers = [SIGINT, SIGTERM]
    private let signals: Signals
    private var hasBeenTaken = false
    /// After the first one the daemon may take so long to undo what is half done.
    private static let patienceSeconds = 60.0
    private var patience: Deadline?

    init() throws { signals = try Signals(Self.numbers) }

    /// What comes when the work is done changes nothing: the command has said so, or is about to. Where it
    /// goes on instead, it calls `letThrough` before.
    deinit {
        while signals.next() != nil {}
        Signals.unblock(Self.numbers)
    }

    /// For a command that goes on with work of its own: from now on one ends it, as it ends any program; also
    /// one that has come by now, and that nobody has looked for yet.
    func letThrough() { Signals.unblock(Self.numbers) }

    /// Whether one has come.
    var hasCome: Bool {
        if signals.next() != nil { hasBeenTaken = true }
        return hasBeenTaken
    }

    /// Waits until an answer begins.
    /// - Throws: at the second interrupt, and where the daemon does not answer after the first.
    func wait(for channel: Channel) throws {
        while true {
            let ready = try Waiting.wait(for: [channel.raw, signals.raw], until: patience)
            let isLate = patience?.hasPassed ?? false
            if isLate || ready[1] && hasBeenTaken && signals.next() != nil {
                throw CommandFailure(
                    "interrupted; the daemon is still undoing what was half done",
                    exitStatus: Self.exitStatus)
            }
            if ready[1], hasCome, patience == nil {
                patience = Deadline(seconds: Self.patienceSeconds)
                channel.endSending()
            }
            if ready[0] { return }
        }
    }
}
