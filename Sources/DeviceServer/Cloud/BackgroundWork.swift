internal import CloudSync
internal import Posix
internal import SystemPackage

/// Work that Swift's concurrency does while a thread of this daemon's waits for it, or gives it up.
struct BackgroundWork<Result: Sendable> {
    private let gate = Gate<Swift.Result<Result, any Error>?>(nil)
    private let task: Task<Void, Never>

    /// Begins it.
    /// - Parameter executor: where it prefers to run; its thread must not be the one that waits.
    init(on executor: (any TaskExecutor)? = nil, _ body: @escaping @Sendable () async throws -> Result) {
        let gate = gate
        task = Task(executorPreference: executor) {
            let result: Swift.Result<Result, any Error>
            do { result = .success(try await body()) } catch { result = .failure(error) }
            gate.update { $0 = result }
        }
    }

    /// Begins it on the engine's thread.
    init(_ session: CloudSession, _ body: @escaping @Sendable (SyncEngine) async throws -> Result) {
        let engine = session.engine
        self.init(on: session.thread) { try await body(engine) }
    }

    /// - Returns: nil where it is not done in that time; without one it is waited for.
    /// - Throws: what it threw.
    func result(within seconds: Double? = nil) throws -> Result? {
        try gate.wait(timeoutSeconds: seconds, until: { $0 })?.get()
    }

    private static var askedEverySeconds: Double { 0.25 }

    /// Waits for it as long as it is wanted.
    /// - Parameter check: asked four times a second; what it throws gives the work up.
    /// - Throws: what the work threw, and what `check` does.
    func result(whileWanted check: () throws -> Void) throws -> Result {
        while true {
            if let result = try result(within: Self.askedEverySeconds) { return result }
            do { try check() } catch {
                cancel()
                throw error
            }
        }
    }

    /// Nobody waits for it any more: what it asks the store just now is given up.
    func cancel() { task.cancel() }
}

enum Blocking {
    /// Waits for work, however long it takes.
    static func wait<Result: Sendable>(
        on executor: (any TaskExecutor)? = nil, _ body: @escaping @Sendable () async throws -> Result
    ) throws -> Result {
        guard let result = try begin(on: executor, body).result() else { throw CancellationError() }
        return result
    }

    /// Waits for work as long as it is wanted, as `BackgroundWork.result(whileWanted:)`.
    static func wait<Result: Sendable>(
        on executor: (any TaskExecutor)? = nil, whileWanted check: () throws -> Void,
        _ body: @escaping @Sendable () async throws -> Result
    ) throws -> Result {
        try begin(on: executor, body).result(whileWanted: check)
    }

    private static func begin<Result: Sendable>(
        on executor: (any TaskExecutor)?, _ body: @escaping @Sendable () async throws -> Result
    ) throws -> BackgroundWork<Result> {
        // Threads that the work starts would keep what this one was lent.
        guard !RequestRights.areBorrowed else { throw Errno.notPermitted }
        return BackgroundWork(on: executor, body)
    }
}
