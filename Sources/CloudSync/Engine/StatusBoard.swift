internal import Posix
internal import SyncContent

/// What each app's sync last said of itself, for whoever must not wait for the engine's thread: a file of
/// gigabytes is hashed there in one go, and many documents are planned together. How fast bytes go, and how
/// many of those that were announced went since, is as of now.
final class StatusBoard: Sendable {
    private struct Entry {
        var status = SyncStatus()
        var sent: TransferMeter?
        var got: TransferMeter?
        /// What the meter showed when the status was.
        var sentBefore: UInt64 = 0
    }

    private let shown = Lock<[String: Entry]>([:])
    private let standing = Lock<SyncStanding?>(nil)
    private let upkeepStatus = Lock(UpkeepStatus())

    /// Nil before the account was opened.
    var account: SyncStanding? { standing.withLock { $0 } }

    func show(account: SyncStanding) { standing.withLock { $0 = account } }

    var upkeep: UpkeepStatus { upkeepStatus.withLock { $0 } }

    func show(upkeep: UpkeepStatus) { upkeepStatus.withLock { $0 = upkeep } }

    func show(_ status: SyncStatus, of app: String) {
        shown.withLock { shown in
            var entry = shown[app] ?? Entry()
            entry.status = status
            entry.sentBefore = entry.sent?.total ?? 0
            shown[app] = entry
        }
    }

    /// From now on these count what goes.
    func show(sent: TransferMeter, got: TransferMeter, of app: String) {
        shown.withLock { shown in
            guard var entry = shown[app] else { return }
            (entry.sent, entry.got, entry.sentBefore) = (sent, got, sent.total)
            shown[app] = entry
        }
    }

    func remove(_ app: String) { shown.withLock { $0[app] = nil } }

    /// Nil for an app that was not added.
    func status(of app: String) -> SyncStatus? {
        guard let entry = shown.withLock({ $0[app] }) else { return nil }
        var status = entry.status
        guard let sent = entry.sent, let got = entry.got else { return status }
        let bytes = sent.total &- entry.sentBefore
        status.pendingUploadBytes -= min(bytes, status.pendingUploadBytes)
        status.uploadedBytes = min(status.uploadingBytes, status.uploadedBytes.addingSaturated(bytes))
        status.bytesPerSecond = sent.bytesPerSecond
        status.downloadBytesPerSecond = got.bytesPerSecond
        return status
    }
}
