internal import SyncContent
internal import SyncLog

/// A log that the engine keeps this device in step with: an app's documents, or a key-value store.
protocol SyncedLog: Actor, ReadableLog {
    nonisolated var log: LogClient { get }
    nonisolated var upkeep: LogUpkeep { get }
    /// After trouble, when its store is asked again; nil: there is none.
    var retryAt: UInt64? { get }

    /// The log may have more than was read.
    func expectNews()
    /// What waits for the store to come back is done in the next round.
    func storeIsThere()
}

extension SyncedLog {
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
