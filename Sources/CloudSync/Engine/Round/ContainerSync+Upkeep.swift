internal import SyncContent
internal import SyncLog

/// What is done for an app's log beside its rounds.
extension ContainerSync {
    /// Whether the log has come so far since its newest snapshot that the next one is to be made.
    var isSnapshotDue: Bool {
        !isRemoved && (try? log.isSnapshotDue()) ?? false
    }

    /// Makes the next snapshot where it is due, and lets go of what it replaces.
    func makeSnapshot() async throws(SyncFailure) {
        _ = try await lookAfter { log, writer async throws(SyncFailure) in
            try await log.makeSnapshot(writer)
            return try await log.truncate()
        }
    }

    /// Lets go of what has become old enough since.
    func truncate() async throws(SyncFailure) -> LogTruncation.Report {
        try await lookAfter { log, _ async throws(SyncFailure) in try await log.truncate() }
    }

    /// One at a time, on the thread for such work; until `stop`.
    private func lookAfter(
        _ work:
            @escaping @Sendable (LogClient, ContentWriter) async throws(SyncFailure) ->
            LogTruncation.Report
    ) async throws(SyncFailure) -> LogTruncation.Report {
        await upkeepTurn.take()
        defer { upkeepTurn.give() }
        guard !isRemoved else { throw .ended }
        let (log, writer) = (log, writer)
        let task = Task(executorPreference: surroundings.upkeepExecutor) { @concurrent in
            do throws(SyncFailure) {
                return Result<LogTruncation.Report, SyncFailure>.success(try await work(log, writer))
            } catch { return .failure(error) }
        }
        upkeep = task
        defer { upkeep = nil }
        let result = await task.joined().get()
        if isRemoved { throw .ended }
        return try result.get()
    }
}

extension ContainerSync: ReadableLog {
    /// The rounds bring to the disk what it says.
    func readToEnd() async throws(SyncFailure) -> any SyncStorage {
        await turn.take()
        defer { turn.give() }
        guard !isRemoved else { throw .ended }
        try log.open()
        try await log.pull()
        return storage
    }
}
