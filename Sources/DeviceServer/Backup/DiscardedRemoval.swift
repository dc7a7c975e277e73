internal import Device
internal import Posix

/// Removes what restores no longer keep, once they have ended and at the daemon's start: of an app with very
/// many files that takes a good part of what the restore itself takes, and nobody should wait for it.
final class DiscardedRemoval: Sendable {
    private struct State {
        var isEnded = false
        /// The process that was here before may have left something.
        var isDue = true
        var isWorking = false
    }
    private let state = Gate(State())

    /// Removes whatever comes until `end`, on the caller's thread.
    func run(on device: Device, _ log: DaemonLog, whenDone: () -> Void) {
        NativeThread.yieldToOthers()
        while state.wait(until: Self.isNext) == true {
            do { try device.removeDiscarded { !self.isEnded } } catch {
                // It is tried again after the next restore, or at the next start.
                log.write("\(error)")
            }
            state.update { $0.isWorking = false }
            whenDone()
        }
    }

    /// To be called when a restore replaced something.
    func look() { state.update { $0.isDue = true } }

    /// Whether something is being removed, or is to be looked for.
    var isBusy: Bool { state.update { $0.isDue || $0.isWorking } }

    func end() { state.update { $0.isEnded = true } }

    private var isEnded: Bool { state.update { $0.isEnded } }

    /// False at the end; nil while there is nothing to do.
    private static func isNext(_ state: inout State) -> Bool? {
        if state.isEnded { return false }
        guard state.isDue else { return nil }
        state.isDue = false
        state.isWorking = true
        return true
    }
}
