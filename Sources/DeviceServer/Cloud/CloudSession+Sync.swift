internal import CloudStore
internal import CloudSync
internal import Device
internal import Posix
internal import SandboxRules
internal import SyncContent
internal import SystemPackage

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
    /// - Parameters:
    ///   - waits: goes on as long as that gets nearer.
    ///   - meter: told how far it is; what that throws ends the waiting.
    /// - Returns: what stopped it; what is left otherwise `status` says.
    func syncOnce(
        _ app: InstalledApp, waits: Bool = false, _ meter: SyncMeter? = nil
    ) throws -> SyncTrouble? {
        let identifier = app.bundleID.value
        let clock = SystemSyncClock()
        var progress = SyncProgress(at: clock.now())
        while true {
            let rest: SyncRest
            do {
                rest = try whileTheStoreAnswers(meter) { await $0.syncOnce(identifier) }
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
            try meter?.show(status)
            let pause = BackgroundWork { try await clock.sleep(until: min(wakeAt, soon)) }
            try pause.result { try meter?.show(status) }
        }
    }

    /// - Returns: nil where it is not done within `askedEverySeconds`.
    private func result<Result>(of work: BackgroundWork<Result>, _ meter: SyncMeter?) throws -> Result? {
        guard let meter else { return try work.result(within: Self.askedEverySeconds) }
        let deadline = Deadline(seconds: Self.askedEverySeconds)
        while !deadline.hasPassed {
            if let result = try work.result(within: Self.shownEverySeconds) { return result }
            do throws(Errno) { try meter.show(engine.shownStatus(meter.app)) } catch {
                work.cancel()
                throw error
            }
        }
        return nil
    }

    private static let shownEverySeconds = 0.25

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
        _ meter: SyncMeter?, _ body: @escaping @Sendable (SyncEngine) async throws -> Result
    ) throws -> Result {
        let clock = SystemSyncClock()
        let work = BackgroundWork(self, body)
        var answeredAt = clock.now()
        while true {
            if let result = try result(of: work, meter) { return result }
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
