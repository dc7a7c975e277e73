internal import Posix

/// How many requests are in flight; the others wait, in order of their coming.
final class RequestPlaces: Sendable {
    private struct State {
        var free: Int
        var nextNumber: UInt64 = 0
        /// The requests that wait, in order. They are few, so it is searched.
        var waiting: [(number: UInt64, continuation: CheckedContinuation<Bool, Never>)] = []
        /// Cancelled before they began to wait.
        var cancelled: Set<UInt64> = []
    }

    private let state: Lock<State>

    init(limit: Int) { state = Lock(State(free: limit)) }

    /// Returns once there is a place, which `giveBack` returns.
    /// - Throws: `.cancelled`.
    func take() async throws(HTTPExchange.Failure) {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        let isTaken = await withTaskCancellationHandler {
            await withCheckedContinuation { wait(number, $0) }
        } onCancel: {
            cancel(number)
        }
        state.withLock { _ = $0.cancelled.remove(number) }
        if !isTaken { throw .cancelled }
    }

    func giveBack() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            if state.waiting.isEmpty {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst().continuation
        }
        next?.resume(returning: true)
    }

    private func wait(_ number: UInt64, _ continuation: CheckedContinuation<Bool, Never>) {
        let answer = state.withLock { state -> Bool? in
            if state.cancelled.contains(number) { return false }
            if state.free > 0 {
                state.free -= 1
                return true
            }
            state.waiting.append((number, continuation))
            return nil
        }
        if let answer { continuation.resume(returning: answer) }
    }

    private func cancel(_ number: UInt64) {
        let waiting = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard let index = state.waiting.firstIndex(where: { $0.number == number }) else {
                state.cancelled.insert(number)
                return nil
            }
            return state.waiting.remove(at: index).continuation
        }
        waiting?.resume(returning: false)
    }
}
