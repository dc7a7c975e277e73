internal import SyncContent
internal import SyncLog

/// Looks after a log beside the rounds that use it: one piece of work at a time, on the thread for such work,
/// until `stop`.
actor LogUpkeep {
    private let log: LogClient
    private let writer: ContentWriter
    private let turn = Turn()
    private var underWay: Task<Result<LogTruncation.Report, SyncFailure>, Never>?
    private var isStopped = false

    init(_ log: LogClient, writer: ContentWriter) {
        self.log = log
        self.writer = writer
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        log.surroundings.executor.asUnownedSerialExecutor()
    }

    /// Whether the log has come so far since its newest snapshot that the next one is to be made.
    var isSnapshotDue: Bool {
        !isStopped && (try? log.isSnapshotDue()) ?? false
    }

    /// Makes the next snapshot where it is due, and lets go of what it replaces.
    func makeSnapshot() async throws(SyncFailure) {
        _ = try await work { log, writer async throws(SyncFailure) in
            try await log.makeSnapshot(writer)
            return try await log.truncate()
        }
    }

    /// Lets go of what has become old enough since.
    func truncate() async throws(SyncFailure) -> LogTruncation.Report {
        try await work { log, _ async throws(SyncFailure) in try await log.truncate() }
    }

    /// Gives up what is under way, without waiting for the store, and lets nothing else begin.
    func stop() {
        isStopped = true
        underWay?.cancel()
    }

    /// Returns when nothing is under way.
    func waitForEnd() async {
        await turn.take()
        turn.give()
    }

    private func work(
        _ work:
            @escaping @Sendable (LogClient, ContentWriter) async throws(SyncFailure) ->
            LogTruncation.Report
    ) async throws(SyncFailure) -> LogTruncation.Report {
        await turn.take()
        defer { turn.give() }
        guard !isStopped else { throw .ended }
        let (log, writer) = (log, writer)
        let task = Task(executorPreference: log.surroundings.upkeepExecutor) { @concurrent in
            do throws(SyncFailure) {
                return Result<LogTruncation.Report, SyncFailure>.success(try await work(log, writer))
            } catch { return .failure(error) }
        }
        underWay = task
        defer { underWay = nil }
        let result = await task.joined().get()
        if isStopped { throw .ended }
        return try result.get()
    }
}
