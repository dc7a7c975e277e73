internal import CloudStore
internal import SyncContent
internal import SyncLog

/// What this device tells of itself beside the app's log: who it is, and how much the app takes.
extension ContainerSync {
    private static let second: UInt64 = 1_000_000_000
    /// So long after one that was tried none is, and after so long one is due: it also says that the device
    /// is still there.
    private static let pauseNanoseconds = 600 * second
    private static let periodNanoseconds = 86_400 * second
    /// What the quota may be wrong by for other devices.
    private static let toldBytes: UInt64 = 16 << 20

    /// One PUT, where there is something to say. It may fail: it is tried again.
    /// - Parameter account: this device as the account's own log has it.
    func tellDevice(_ account: AccountDevice) async {
        guard retryAt == nil, case .container(let name) = log.name, let (device, note) = note(account) else {
            return
        }
        let now = surroundings.clock.now()
        guard isDue(note, device, at: now) else { return }
        noteTriedAt = now
        let key = self.account.layout.device(name, device)
        guard (try? await self.account.store.put(note.bytes, at: key)) != nil else { return }
        toldNote = (device, note)
    }

    private func isDue(_ note: DeviceNote, _ device: DeviceID, at now: UInt64) -> Bool {
        guard let triedAt = noteTriedAt else { return true }
        guard let (toldDevice, told) = toldNote else { return now >= triedAt &+ Self.pauseNanoseconds }
        let isOther = told.name != note.name || told.account != note.account || toldDevice != device
        let difference = max(told.usedBytes, note.usedBytes) - min(told.usedBytes, note.usedBytes)
        let pause =
            isOther || difference >= Self.toldBytes ? Self.pauseNanoseconds : Self.periodNanoseconds
        return now >= triedAt &+ pause
    }

    /// Nil while there is no log.
    private func note(_ account: AccountDevice) -> (DeviceID, DeviceNote)? {
        try? storage.read { transaction in
            let cursor = try transaction.treeCursor()
            guard cursor > 0, let journal = try transaction.journal() else { return nil }
            let note = DeviceNote(
                name: account.name, account: account.device, cursor: cursor,
                usedBytes: try transaction.treeCounts().sizeBytes)
            return (journal.device, note)
        }
    }
}
