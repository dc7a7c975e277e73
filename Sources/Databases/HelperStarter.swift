internal import Posix
internal import SystemPackage

/// Starts helpers on a thread that has the priority of whoever made it. A process inherits that of the thread
/// that starts it, and sync's, which ask for copies, have the lowest: on a busy machine such a helper would
/// hold for minutes the locks that an app waits for. Only root may raise a priority again.
final class HelperStarter: Sendable {
    typealias Start = @Sendable () -> Result<Child?, Errno>

    private struct State {
        var next = 0
        var waiting: [(number: Int, start: Start)] = []
        var started: [Int: Result<Child?, Errno>] = [:]
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
        let number = state.update { state in
            state.next += 1
            state.waiting.append((state.next, start))
            return state.next
        }
        return try state.wait { $0.started.removeValue(forKey: number) }?.get()
    }

    private static func run(_ state: Gate<State>) {
        while let waiting = state.wait(until: takeWaiting), !waiting.isEmpty {
            for (number, start) in waiting {
                let result = start()
                state.update { $0.started[number] = result }
            }
        }
    }

    /// Nil while there is nothing to do; empty at the end.
    private static func takeWaiting(_ state: inout State) -> [(number: Int, start: Start)]? {
        if state.waiting.isEmpty { return state.isEnding ? [] : nil }
        defer { state.waiting = [] }
        return state.waiting
    }
}
