internal import Posix

/// Wakes the one loop that waits for it; a signal that nobody waits for is kept, once.
final class WakeSignal: Sendable {
    private struct State {
        var isSignalled = false
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let state = Lock(State())

    /// From any thread; resumes the loop after the lock is given back.
    func signal() {
        let waiting = state.withLock { state in
            let waiting = state.waiting
            state.waiting = nil
            state.isSignalled = waiting == nil
            return waiting
        }
        waiting?.resume()
    }

    /// Returns at the next signal, or where the task is cancelled.
    nonisolated(nonsending) func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    guard !state.isSignalled, !Task.isCancelled else {
                        state.isSignalled = false
                        return true
                    }
                    state.waiting = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            signal()
        }
    }
}
