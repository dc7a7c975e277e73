internal import CloudStore
internal import Posix
internal import StoreBasics
internal import SyncContent
internal import SyncLog

/// Taking back at once what this device sent and no batch came to name (`cloud gc --now`): what was sent of a
/// file that changed or was deleted before all of it was up.
///
/// The collector leaves that alone for `graceSeconds`, as anybody may have counted it as present. This device
/// knows more: where an object lies that no log names, its sender alone knows, and copies of this device. So
/// before anything goes, the log gets an empty batch of this device, journaled together with what is to go.
/// A copy that was made before finds that batch in the log before it gets one of its own there, becomes
/// another device, and relies on nothing that was sent before (`LogClient.becomeAnother`); one that was made
/// after has these uploads as abandoned. If a copy was first, this device becomes another, and takes nothing
/// back.
extension ContainerSync {
    /// - Returns: what was deleted.
    func takeBackUploads() async throws(SyncFailure) -> TakenBack {
        await turn.take()
        defer { turn.give() }
        try log.open()
        try await log.push()
        guard try abandonAllUploads() else { return TakenBack() }
        try await log.push()
        let (uploads, kept) = try storage.reading { transaction in
            let uploads = try transaction.abandonedUploads().filter(\.isOwn).map(\.upload)
            return (uploads, try uploads.filter { try transaction.isReferred($0) })
        }
        // A pack goes whole, or not at all.
        let keys = Set(uploads.map(key)).subtracting(kept.map(key))
        var taken = TakenBack()
        for key in keys.sorted() {
            let info = try await log.ask { () async throws(StoreError) in try await account.store.head(key) }
            guard let info = info.value else { continue }
            _ = try await log.ask { () async throws(StoreError) in try await account.store.delete(key) }
            taken.add(TakenBack(objects: 1, bytes: info.sizeBytes))
        }
        try storage.writing { transaction in
            for upload in uploads { try transaction.removeAbandonedUpload(upload) }
        }
        return taken
    }

    /// Gives up all that no batch names, with the empty batch that tells copies of this device.
    /// - Returns: whether there is anything.
    private func abandonAllUploads() throws(SyncFailure) -> Bool {
        let isAny = try storage.reading { transaction in
            try !transaction.pendingUploads().isEmpty
                || transaction.abandonedUploads().contains(where: \.isOwn)
        }
        guard isAny else { return false }
        if surroundings.rules.hold(.takingBackIsTold) {
            try log.freeze([]) { try $1.abandonPendingUploads(isOwn: true) }
        } else {
            try storage.writing { try $0.abandonPendingUploads(isOwn: true) }
        }
        return true
    }
}

/// What was deleted of the store.
package struct TakenBack: Equatable, Sendable {
    package var objects = 0
    package var bytes: UInt64 = 0

    mutating func add(_ other: TakenBack) {
        objects += other.objects
        bytes = bytes.addingSaturated(other.bytes)
    }
}

extension SyncTransaction {
    /// Whether the tree names the chunk there, or did.
    func isReferred(_ upload: PendingUpload) throws -> Bool {
        try locators(of: upload.chunk).contains(upload.locator)
    }
}

extension JournalStorage {
    /// From now on these count as present nowhere.
    func abandon(_ uploads: [PendingUpload], isOwn: Bool) throws {
        let now = try journal()?.storeTime ?? StoreTime(seconds: 0)
        for upload in uploads {
            try setAbandonedUpload(AbandonedUpload(upload: upload, since: now, isOwn: isOwn))
        }
    }

    func abandonPendingUploads(isOwn: Bool) throws {
        let uploads = try pendingUploads()
        for upload in uploads { try removePendingUpload(upload.chunk) }
        try abandon(uploads, isOwn: isOwn)
    }

    /// What the collector has taken long since.
    func forgetAbandoned(_ retention: AccountRetention) throws {
        guard let now = try journal()?.storeTime else { return }
        for abandoned in try abandonedUploads()
        where now.seconds(since: abandoned.since) > 2 * retention.graceSeconds {
            try removeAbandonedUpload(abandoned.upload)
        }
    }
}
