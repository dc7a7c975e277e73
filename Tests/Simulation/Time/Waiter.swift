/// One wait of an async function for the world: the first that answers it counts, be it the event, a
/// cancellation, or the end of its life.
// Unchecked: see WorldExecutor.
final class Waiter<Value: Sendable>: @unchecked Sendable {
    private var continuation: CheckedContinuation<Value, Never>?
    private var early: Value?
    private var isAnswered = false

    func answer(_ value: Value) {
        guard !isAnswered else { return }
        isAnswered = true
        if let continuation {
            self.continuation = nil
            continuation.resume(returning: value)
        } else {
            early = value
        }
    }

    /// Waits for the answer; `given` is it where the task is cancelled or the life ends first.
    func wait(in life: Life, otherwise given: Value) async -> Value {
        if life.hasEnded || Task.isCancelled { answer(given) }
        let ticket = life.await { self.answer(given) }
        defer { life.forget(ticket) }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if let early {
                    continuation.resume(returning: early)
                } else {
                    self.continuation = continuation
                }
            }
        } onCancel: {
            answer(given)
        }
    }
}
