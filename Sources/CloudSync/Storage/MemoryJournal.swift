internal import SyncContent
internal import SyncLog

/// The journal as a value.
struct MemoryJournal: Sendable {
    var journal: Journal?
    var frozen: EncodedBatch?
    var following: [UInt64: EncodedBatch] = [:]
    var uploads: [ContentHash: Locator] = [:]
    var abandoned: [PendingUpload: AbandonedUpload] = [:]
    var unproven: Set<FileID> = []
    var removals: Set<FileID> = []
    var dropped: Set<DroppedVersion> = []
    var apps: [String: SyncedApp] = [:]
    var devices: [DeviceID: String] = [:]
    var time: TimeAllowance?
    var identity: AccountIdentity?
    var usage: AccountUsage?
    var keyValues: [KeyName: PendingKeyValue] = [:]
    var keyValueClock = KeyValueClock()
}

extension MemoryTransaction {
    func journal() -> Journal? { state.journal.journal }

    func setJournal(_ journal: Journal) { state.journal.journal = journal }

    func frozenBatch() -> EncodedBatch? { state.journal.frozen }

    func setFrozenBatch(_ batch: EncodedBatch?) { state.journal.frozen = batch }

    func followingBatch() -> EncodedBatch? { followingBatches().first }

    func followingBatches() -> [EncodedBatch] {
        state.journal.following.sorted { $0.key < $1.key }.map(\.value)
    }

    func addFollowingBatch(_ batch: EncodedBatch) { state.journal.following[batch.batch.n] = batch }

    func removeFollowingBatch(_ n: UInt64) { state.journal.following[n] = nil }

    func pendingUploads() -> [PendingUpload] {
        state.journal.uploads.sorted { $0.key < $1.key }.map {
            PendingUpload(chunk: $0.key, locator: $0.value)
        }
    }

    func setPendingUpload(_ upload: PendingUpload) { state.journal.uploads[upload.chunk] = upload.locator }

    func removePendingUpload(_ chunk: ContentHash) { state.journal.uploads[chunk] = nil }

    func abandonedUploads() -> [AbandonedUpload] {
        state.journal.abandoned.values.sorted { left, right in
            guard left.upload.chunk == right.upload.chunk else {
                return left.upload.chunk < right.upload.chunk
            }
            return left.upload.locator.encoding.lexicographicallyPrecedes(right.upload.locator.encoding)
        }
    }

    func hasAbandonedUploads() -> Bool { !state.journal.abandoned.isEmpty }

    func isAbandoned(_ upload: PendingUpload) -> Bool { state.journal.abandoned[upload] != nil }

    func setAbandonedUpload(_ abandoned: AbandonedUpload) {
        state.journal.abandoned[abandoned.upload] = abandoned
    }

    func removeAbandonedUpload(_ upload: PendingUpload) { state.journal.abandoned[upload] = nil }

    func unprovenFiles() -> [FileID] { state.journal.unproven.sorted() }

    func addUnprovenFile(_ file: FileID) { state.journal.unproven.insert(file) }

    func clearUnprovenFiles() { state.journal.unproven = [] }

    func knownRemovals() -> [FileID] { state.journal.removals.sorted() }

    func addKnownRemoval(_ file: FileID) { state.journal.removals.insert(file) }

    func clearKnownRemovals() { state.journal.removals = [] }

    func droppedVersions() -> [DroppedVersion] { state.journal.dropped.sorted() }

    func addDroppedVersion(_ dropped: DroppedVersion) { state.journal.dropped.insert(dropped) }

    func removeDroppedVersion(_ dropped: DroppedVersion) { state.journal.dropped.remove(dropped) }

    func accountApps() -> [SyncedApp] { state.journal.apps.sorted { $0.key < $1.key }.map(\.value) }

    func setAccountApp(_ app: SyncedApp) { state.journal.apps[app.identifier] = app }

    func accountDevices() -> [AccountDevice] {
        state.journal.devices.sorted { $0.key < $1.key }.map { AccountDevice(device: $0.key, name: $0.value) }
    }

    func setAccountDevice(_ device: AccountDevice) { state.journal.devices[device.device] = device.name }

    func removeAccountDevice(_ device: DeviceID) { state.journal.devices[device] = nil }

    func accountIdentity() -> AccountIdentity? { state.journal.identity }

    func setAccountIdentity(_ identity: AccountIdentity) { state.journal.identity = identity }

    func timeAllowance() -> TimeAllowance? { state.journal.time }

    func setTimeAllowance(_ allowance: TimeAllowance) { state.journal.time = allowance }

    func usage() -> AccountUsage? { state.journal.usage }

    func setUsage(_ usage: AccountUsage) {
        state.journal.usage = AccountUsage(bytes: usage.bytes, backupBytes: usage.backupBytes)
    }

    func pendingKeyValues() -> [PendingKeyValue] {
        state.journal.keyValues.sorted { $0.key < $1.key }.map(\.value)
    }

    func pendingKeyValue(_ key: KeyName) -> PendingKeyValue? { state.journal.keyValues[key] }

    func setPendingKeyValue(_ pending: PendingKeyValue) { state.journal.keyValues[pending.key] = pending }

    func removePendingKeyValue(_ key: KeyName) { state.journal.keyValues[key] = nil }

    func keyValueClock() -> KeyValueClock { state.journal.keyValueClock }

    func setKeyValueClock(_ clock: KeyValueClock) { state.journal.keyValueClock = clock }
}
