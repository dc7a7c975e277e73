internal import Posix
internal import SystemPackage

/// Starts helpers on a thread that has the priority of whoever made it. A process inherits that of the thread
/// that starts it, and sync's, which ask for copies, have the lowest: on a busy machine such a helper would
/// hold for minutes the locks that an app waits for. Only root may raise a priority again.
final class HelperStarter: Sendable {
    typealias Start = @Sendable () -> Result<Child?, Errno>

    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var isEnding = false
    }

    /// Leaf.
    private let state = Gate(State())
    private let hasThread: Bool

    init() {
        let state = state
        let thread = try? NativeThread(name: "helpers") { Self.run(state) }
        hasThread = thread != nil
        thread?.detach()
    }

    deinit { state.update { $0.isEnding = true } }

    /// Runs `start` there; here, where no thread could be made.
    func call(_ start: @escaping Start) throws(Errno) -> Child? {
        guard hasThread else { return try start().get() }
        let answer = Gate<Result<Child?, Errno>?>(nil)
        state.update { state in
            state.waiting.append {
                let result = start()
                answer.update { $0 = result }
            }
        }
        return try answer.wait { $0 }?.get()
    }

    private static func run(_ state: Gate<State>) {
        while let waiting = state.wait(until: takeWaiting), !waiting.isEmpty {
            for start in waiting { start() }
        }
    }

    /// Nil while there is nothing to do; empty at the end.
    private static func takeWaiting(_ state: inout State) -> [@Sendable () -> Void]? {
        if state.waiting.isEmpty { return state.isEnding ? [] : nil }
        defer { state.waiting = [] }
        return state.waiting
    }
}
