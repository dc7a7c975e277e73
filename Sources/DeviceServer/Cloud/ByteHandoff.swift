internal import Posix

/// Runs of bytes on their way from the engine to a thread that may take its time: at most one waits,
/// and who brings the next one waits without holding the engine's thread.
final class ByteHandoff: Sendable {
    private struct State {
        var run: [UInt8]?
        var giver: CheckedContinuation<Bool, Never>?
        var isOver = false
    }
    private let state = Gate(State())

    /// Hands on a run, and waits until it is taken.
    /// - Returns: false where nobody takes any more.
    func give(_ run: [UInt8]) async -> Bool {
        await withCheckedContinuation { giver in
            let isOver = state.update { state in
                if !state.isOver { (state.run, state.giver) = (run, giver) }
                return state.isOver
            }
            if isOver { giver.resume(returning: false) }
        }
    }

    /// What there is to take.
    enum Taken {
        case run([UInt8])
        /// Not within that time.
        case nothing
        /// Nothing will come.
        case end
    }

    func take(withinSeconds seconds: Double) -> Taken {
        let taken = state.wait(timeoutSeconds: seconds) {
            state -> (Taken, CheckedContinuation<Bool, Never>?)? in
            guard let run = state.run else { return state.isOver ? (.end, nil) : nil }
            defer { (state.run, state.giver) = (nil, nil) }
            return (.run(run), state.giver)
        }
        guard let taken else { return .nothing }
        taken.1?.resume(returning: true)
        return taken.0
    }

    /// Nothing more is given, or taken: what waits is dropped, and who gave it goes on.
    func end() {
        let giver = state.update { state in
            defer { (state.run, state.giver, state.isOver) = (nil, nil, true) }
            return state.giver
        }
        giver?.resume(returning: false)
    }
}
