internal import CloudStore
internal import CloudSync
internal import Device
internal import SandboxRules

/// Syncing an app while somebody waits for it, who is to hear why in bounded time where it gets no further.
extension CloudSession {
    /// What changes within so long is waited for: a file is sent a second after its last change.
    private static let patienceNanoseconds: UInt64 = 5_000_000_000
    private static let second: UInt64 = 1_000_000_000
    /// While a person waits.
    private static let triedAgainNanoseconds = 10 * second
    /// So often the store is asked whether it is there while the engine works, and so long it may be silent.
    private static let askedEverySeconds = 5.0
    private static let silentNanoseconds = 20 * second

    /// Syncs the app until nothing is left to do, or what is left would take long or is in trouble.
    /// - Parameter waits: goes on as long as that gets nearer.
    /// - Returns: what stopped it; what is left otherwise `status` says.
    func syncOnce(_ app: InstalledApp, waits: Bool = false) throws -> SyncTrouble? {
        let identifier = app.bundleID.value
        let clock = SystemSyncClock()
        var progress = SyncProgress(at: clock.now())
        while true {
            let rest: SyncRest
            do {
                rest = try whileTheStoreAnswers { await $0.syncOnce(identifier) }
            } catch let trouble as SyncTrouble {
                return trouble
            }
            let status = try status(of: app)
            if rest.isUpToDate || (rest.trouble == nil && status.isCurrent) { return nil }
            progress.note(cursor: status.cursor, downloads: status.pendingDownloads, at: clock.now())
            guard let wakeAt = rest.wakeAt, mayGoOn(rest, wakeAt, progress, waits) else {
                return rest.trouble
            }
            let soon = clock.now() &+ Self.triedAgainNanoseconds
            try wait { _ in try await clock.sleep(until: min(wakeAt, soon)) }
        }
    }

    private func mayGoOn(_ rest: SyncRest, _ wakeAt: UInt64, _ progress: SyncProgress, _ waits: Bool) -> Bool
    {
        let now = SystemSyncClock().now()
        guard !progress.isStuck(at: now) else { return false }
        guard let trouble = rest.trouble else {
            return waits || wakeAt < now &+ Self.patienceNanoseconds
        }
        // A line that breaks for a moment does not end an hour of uploads.
        return waits && progress.hasBegun && trouble.isOfConnection
    }

    /// Waits for work of the engine, but not for a store that is silent all the while.
    /// - Throws: `SyncTrouble.storeSlow`.
    private func whileTheStoreAnswers<Result: Sendable>(
        _ body: @escaping @Sendable (SyncEngine) async throws -> Result
    ) throws -> Result {
        let clock = SystemSyncClock()
        let work = BackgroundWork(self, body)
        var answeredAt = clock.now()
        while true {
            if let result = try work.result(within: Self.askedEverySeconds) { return result }
            guard contact.trouble(seconds: Self.askedEverySeconds) == .storeSlow else {
                answeredAt = clock.now()
                continue
            }
            if clock.now() >= answeredAt &+ Self.silentNanoseconds {
                work.cancel()
                throw SyncTrouble.storeSlow
            }
        }
    }
}

extension SyncTrouble {
    /// Whether the store is not reached or does not answer, which may pass in a moment.
    var isOfConnection: Bool {
        switch self {
        case .storeAway, .storeSlow: true
        default: false
        }
    }

    /// Whether the store is out of this device's reach as a whole: nothing that it has is in doubt.
    var isOfReach: Bool {
        switch self {
        case .bucketMissing, .credentials, .clockSkewed: true
        default: isOfConnection
        }
    }
}
