internal import CloudSync
internal import Posix

/// Something that the engine does while somebody waits for it, who may give up: it then ends by itself.
struct EngineWork<Result: Sendable> {
    private let gate = Gate<Swift.Result<Result, any Error>?>(nil)
    private let task: Task<Void, Never>

    /// Begins it, on the engine's thread.
    init(_ session: CloudSession, _ body: @escaping @Sendable (SyncEngine) async throws -> Result) {
        let (gate, engine) = (gate, session.engine)
        task = Task(executorPreference: session.thread) {
            let result: Swift.Result<Result, any Error>
            do { result = .success(try await body(engine)) } catch { result = .failure(error) }
            gate.update { $0 = result }
        }
    }

    /// - Returns: nil where it is not done in that time; without one it is waited for.
    /// - Throws: what it threw.
    func result(within seconds: Double? = nil) throws -> Result? {
        try gate.wait(timeoutSeconds: seconds, until: { $0 })?.get()
    }

    /// Nobody waits for it any more: what it asks the store just now is given up.
    func cancel() { task.cancel() }
}
