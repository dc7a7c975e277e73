internal import Posix
internal import SystemPackage

/// A few threads for calls that wait for a disk, which must hold up nobody else's tasks. They start when
/// there is work and end when there was none for a while, so an idle store has none.
final class BlockingPool: Sendable {
    private struct State {
        var jobs: [@Sendable () -> Void] = []
        var threadCount = 0
        var idleCount = 0
    }

    private static let idleSeconds = 5.0
    private let limit: Int
    private let state = Gate(State())

    init(threads limit: Int) { self.limit = limit }

    /// Runs `body` on one of the threads.
    /// - Throws: what `body` throws; `.cancelled` where the task was cancelled before it began.
    func run<R: Sendable>(
        _ body: @escaping @Sendable () throws(StoreError) -> R
    ) async throws(StoreError) -> R {
        if Task.isCancelled { throw .cancelled }
        let result: Result<R, StoreError> = await withCheckedContinuation { continuation in
            add {
                do throws(StoreError) {
                    continuation.resume(returning: .success(try body()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }

    private func add(_ job: @escaping @Sendable () -> Void) {
        let needsThread = state.update { state in
            state.jobs.append(job)
            guard state.idleCount < state.jobs.count, state.threadCount < limit else { return false }
            state.threadCount += 1
            return true
        }
        guard needsThread else { return }
        do {
            let state = self.state
            try NativeThread(name: "store") { Self.work(state) }.detach()
        } catch {
            // No thread is to be had: this one does what is waiting.
            while let job = state.update({ $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }) { job() }
            state.update { $0.threadCount -= 1 }
        }
    }

    private static func work(_ state: Gate<State>) {
        state.update { $0.idleCount += 1 }
        while let job = state.wait(timeoutSeconds: idleSeconds, until: take) ?? state.update(takeOrEnd) {
            job()
            state.update { $0.idleCount += 1 }
        }
    }

    private static func take(_ state: inout State) -> (@Sendable () -> Void)? {
        if state.jobs.isEmpty { return nil }
        state.idleCount -= 1
        return state.jobs.removeFirst()
    }

    /// After the wait: a job may have come since.
    private static func takeOrEnd(_ state: inout State) -> (@Sendable () -> Void)? {
        if let job = take(&state) { return job }
        state.idleCount -= 1
        state.threadCount -= 1
        return nil
    }
}
