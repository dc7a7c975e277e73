public import CloudStore

extension AccountReader {
    /// A reader of the account in a store; nil where the store has none.
    /// - Throws: `SyncTrouble`.
    public static func existing(in store: any ObjectStore) async throws(SyncTrouble) -> AccountReader? {
        do { return try await Account.existing(in: store).map(AccountReader.init) } catch {
            throw SyncFailure(error).plain
        }
    }

    /// The account's apps, as its own log tells of them, by identifier.
    /// - Throws: `SyncTrouble`.
    public func apps() async throws(SyncTrouble) -> [SyncedApp] {
        do {
            let log = try LogClient(reading: account, .account)
            try await log.pull()
            return try log.storage.reading { try $0.accountApps() }
        } catch { throw error.plain }
    }
}

extension LogClient {
    /// A log that is only read: its tree is in memory, and nobody hears of this reader.
    init(reading account: Account, _ name: LogName) throws(SyncFailure) {
        let executor: EngineThread
        do { executor = try EngineThread() } catch { throw .trouble(.disk("no thread: \(error)")) }
        self.init(
            name: name, app: nil, account: account, storage: MemoryStorage(),
            surroundings: SyncSurroundings(
                store: account.store, clock: SystemSyncClock(), randomness: SystemSyncRandomness(),
                executor: executor, events: NoEvents()))
        try open()
    }
}

private struct NoEvents: SyncEventSink {
    func report(_ event: SyncEvent) {}
}
