internal import Posix
internal import SyncContent
internal import SyncLog

/// Items and bytes on their way up.
struct UploadProgress: Equatable, Sendable {
    var items = 0
    var bytes: UInt64 = 0
    /// What the meter showed when it began.
    var sentBefore: UInt64 = 0
}

extension ContainerSync {
    func status() -> SyncStatus {
        var status = SyncStatus()
        status.trouble = trouble
        let touchedCount = touched.paths.union(touched.unseen).count + changesLeft
        status.pendingUploads = max(touchedCount, planned.items)
        status.isRescanDue = !touched.whole.isEmpty || !touched.untold.isEmpty
        status.uploadingBytes = sending.bytes
        status.uploadedBytes = min(sending.bytes, sent.total &- sending.sentBefore)
        let left = planned.bytes > status.uploadedBytes ? planned.bytes - status.uploadedBytes : 0
        status.pendingUploadBytes = left
        status.bytesPerSecond = sent.bytesPerSecond
        status.downloadBytesPerSecond = got.bytesPerSecond
        do {
            try storage.read { transaction in
                try status.take(transaction)
                if let frozen = try transaction.frozenBatch() {
                    status.pendingUploads = max(status.pendingUploads, frozen.batch.operations.count)
                }
            }
        } catch {
            status.trouble = .disk("\(error)")
        }
        status.usedBytes = usedBytes
        status.waiting = waitingItems.all
        if heldDeletes > 0 {
            status.waiting += heldPaths.map { WaitingItem(path: $0, reason: .deletesHeld) }
        }
        return status
    }

    /// Tells those who do not wait that something is under way: about so many items are to go up, or to come
    /// down.
    func showBusy(uploads: Int? = nil, downloads: Int? = nil) {
        guard var status = board.status(of: app.identifier) else { return }
        if let uploads {
            try? storage.read { try status.take($0) }
            status.pendingUploads = uploads
            status.pendingUploadBytes = planned.bytes
        }
        status.isBusy = true
        if let downloads { status.pendingDownloads = downloads }
        board.show(status, of: app.identifier)
    }

    // MARK: Quota

    var ownBytes: UInt64 { (try? storage.read { try $0.treeCounts().sizeBytes }) ?? 0 }

    /// The app's part and all others', as far as they are known.
    private var usedBytes: UInt64 {
        ownBytes.addingSaturated(containerName.map(quota.otherBytes) ?? 0)
    }

    /// Bytes that may still be sent: over the quota nothing new is, while deletes and withdrawals always go.
    func quotaRoom(for bytes: UInt64) async throws(SyncFailure) -> UInt64 {
        guard let limit = surroundings.settings.quotaBytes, let name = containerName else { return .max }
        let own = try storage.reading { try $0.treeCounts().sizeBytes }
        return await quota.room(for: bytes, of: name, own: own, limit: limit)
    }

    private var containerName: ContainerName? {
        if case .container(let name) = log.name { name } else { nil }
    }

    // MARK: What a person sets

    func setPaused(_ isPaused: Bool) throws(SyncFailure) {
        try log.open()
        try storage.setPaused(isPaused)
    }

    /// The next plan looks at everything again, and lets the deletes go that it finds.
    func confirmDeletes() throws(SyncFailure) {
        try log.open()
        try storage.writing { try $0.changeJournal { $0.areDeletesConfirmed = true } }
        lookAgain(Touched(whole: [LocalPath()]))
    }
}

extension LogClient {
    /// Whether somebody tells of a slot that the tree does not hold.
    func isBehind(_ newest: [LogName: UInt64]) throws(SyncFailure) -> Bool {
        guard let slot = newest[name] else { return false }
        told.hear(slot)
        return try slot > place().head.sequence
    }

    /// Nil where this device never committed.
    func newestOwn() throws(SyncFailure) -> UInt64? {
        let slot = try place().journal.newestOwn
        return slot > 0 ? slot : nil
    }
}
