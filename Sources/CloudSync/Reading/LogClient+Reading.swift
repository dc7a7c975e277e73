internal import SyncContent

extension LogClient {
    /// A log that is only read: its tree is in memory, and nobody hears of this reader.
    /// - Parameter executor: nil makes one.
    init(
        reading account: Account, _ name: LogName, on executor: (any EngineExecutor)? = nil
    ) throws(SyncFailure) {
        let thread: any EngineExecutor
        do { thread = try executor ?? EngineThread() } catch {
            throw .trouble(.disk("no thread: \(error)"))
        }
        self.init(
            name: name, app: nil, account: account, storage: MemoryStorage(),
            surroundings: SyncSurroundings(
                store: account.store, clock: SystemSyncClock(), randomness: SystemSyncRandomness(),
                executor: thread, events: NoEvents()))
        try open()
    }
}

private struct NoEvents: SyncEventSink {
    func report(_ event: SyncEvent) {}
}
