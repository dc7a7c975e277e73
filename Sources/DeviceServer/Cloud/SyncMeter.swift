internal import CloudSync
internal import SystemPackage
internal import Wire

/// Tells a client how far the sync of an app is: of what is to go up and to come down.
final class SyncMeter {
    /// The app's identifier.
    let app: String
    private let meter: WorkMeter
    /// The most that was left at once: what is done is the rest of that.
    private var mostBytes: Int64 = 0
    private var mostItems: Int64 = 0

    init(_ app: String, _ meter: WorkMeter) {
        self.app = app
        self.meter = meter
    }

    /// - Throws: ECANCELED where nobody waits any more.
    func show(_ status: SyncStatus?) throws(Errno) {
        let bytes = Int64(clamping: status?.pendingUploadBytes ?? 0)
        let items = Int64((status?.pendingChanges ?? 0) + (status?.pendingDownloads ?? 0))
        (mostBytes, mostItems) = (max(mostBytes, bytes), max(mostItems, items))
        // What comes down is known by number only.
        let isUpload = mostBytes > 0 && status?.pendingDownloads ?? 0 == 0
        try meter.show(
            Progress(
                bytesDone: mostBytes - bytes, totalBytes: isUpload ? mostBytes : nil,
                itemsDone: mostItems - items, totalItems: mostItems))
    }
}
