internal import SyncContent
internal import SyncLog

/// A log that the engine keeps this device in step with: an app's documents, or a key-value store.
protocol SyncedLog: Actor, ReadableLog {
    nonisolated var log: LogClient { get }
    nonisolated var upkeep: LogUpkeep { get }
    /// Held by whoever runs a round.
    nonisolated var turn: Turn { get }
    /// What the round does that is under way.
    var underWay: Task<Result<Bool, SyncFailure>, Never>? { get set }
    /// No round begins any more.
    var isRemoved: Bool { get set }
    /// The log may have more than was read.
    var mayBeBehind: Bool { get set }
    var trouble: SyncTrouble? { get }
    /// After trouble, when its store is asked again; nil: there is none.
    var retryAt: UInt64? { get set }
    var backoff: Backoff { get set }

    /// What a round does.
    /// - Returns: whether anything was done.
    func work(_ isUrgent: Bool) async throws(SyncFailure) -> Bool
}

extension SyncedLog {
    /// As `work`, but for who calls `stop`: what the store is asked just then is given up, and a batch in
    /// flight is looked for in the log when sync begins again, as after a crash.
    func workUntilStopped(_ isUrgent: Bool) async throws(SyncFailure) -> Bool {
        let executor = log.surroundings.executor
        let task = Task(executorPreference: executor) { () async -> Result<Bool, SyncFailure> in
            do throws(SyncFailure) { return .success(try await self.work(isUrgent)) } catch {
                return .failure(error)
            }
        }
        underWay = task
        defer { underWay = nil }
        let result = await task.joined().get()
        // What a request that was given up is answered is nobody's trouble.
        if isRemoved { throw .ended }
        return try result.get()
    }

    /// Nothing is tried again before a time that grows with each failure.
    func retry(after trouble: SyncTrouble, _ isUrgent: Bool) -> SyncRound {
        // A person who asks has often just mended something.
        if isUrgent { backoff.reset() }
        let wait = min(backoff.next(log.surroundings.randomness), trouble.longestWait)
        retryAt = log.surroundings.clock.now() &+ wait
        return SyncRound(wakeAt: retryAt)
    }

    /// Ends the round that is under way and what is done beside it, without waiting for the store, and lets
    /// no other begin.
    func stop() async {
        isRemoved = true
        underWay?.cancel()
        await upkeep.stop()
    }

    /// Returns when no round is under way, nor anything beside it.
    func waitForEnd() async {
        await turn.take()
        turn.give()
        await upkeep.waitForEnd()
    }

    /// The log may have more than was read.
    func expectNews() { mayBeBehind = true }

    /// What waits for the store to come back is done in the next round.
    func storeIsThere() {
        if trouble?.isAbsence == true { retryAt = nil }
    }

    /// - Parameter newest: slots that other devices tell of.
    func hear(_ newest: [LogName: UInt64]) {
        if (try? log.isBehind(newest)) ?? true { expectNews() }
    }

    /// What its device's hint tells; nil where it never committed.
    var newestOwn: UInt64? { try? log.newestOwn() }

    /// The newest slot that it has read.
    var cursor: UInt64 { (try? log.storage.read { try $0.treeCursor() }) ?? 0 }
}

/// What a round of a log's sync did.
struct SyncRound: Equatable, Sendable {
    /// Something moved in either direction: another round may find more.
    var isProgress = false
    /// Nothing is left to do now or later, but for what others will do.
    var isUpToDate = false
    /// When to come again; nil: when woken.
    var wakeAt: UInt64?
}
