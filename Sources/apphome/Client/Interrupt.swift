internal import Glibc
internal import Posix
internal import Wire

/// SIGINT and SIGTERM while a daemon works for this command: the first asks it to stop, and its answer is
/// still waited for; the second ends the command at once.
final class Interrupt {
    /// As a shell has it of a program that SIGINT ended.
    static let exitStatus: Int32 = 128 + SIGINT

    private let signals: Signals
    private(set) var hasCome = false

    init() throws { signals = try Signals([SIGINT, SIGTERM]) }

    /// Waits until an answer begins.
    /// - Throws: at the second interrupt.
    func wait(for channel: Channel) throws {
        while true {
            let ready = try Waiting.wait(for: [channel.raw, signals.raw])
            if ready[1], signals.next() != nil {
                if hasCome {
                    throw CommandFailure(
                        "interrupted; the daemon is still undoing what was half done",
                        exitStatus: Self.exitStatus)
                }
                hasCome = true
                channel.endSending()
            }
            if ready[0] { return }
        }
    }
}
