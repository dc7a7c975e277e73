internal import CloudSync
internal import SyncLog

/// What may only go on, and what a person's removals are taken for.
struct Progress {
    var cursor: UInt64 = 0
    var floor: UInt64 = 0
    var device: DeviceID?
    var nextBatch: UInt64 = 0
    /// Directories that were taken away before their rows were written.
    var removed: [Fingerprint] = []
}

extension World {
    /// I9: cursor, floor and number of the next batch never go back.
    func checkProgress(of home: Home, on device: Device) {
        let state = try? home.storage.read { transaction in
            (try transaction.treeHead().sequence, try transaction.journal())
        }
        guard let (cursor, journal) = state, let journal else { return }
        let before = home.progress
        home.progress.cursor = cursor
        home.progress.floor = journal.floor
        home.progress.device = journal.device
        home.progress.nextBatch = journal.nextBatch
        if cursor < before.cursor { fail("I9: device \(device.index) goes back to slot \(cursor)") }
        if journal.floor < before.floor { fail("I9: device \(device.index) forgets a floor") }
        if journal.device == before.device, journal.nextBatch < before.nextBatch {
            fail("I9: device \(device.index) counts batch \(journal.nextBatch) twice")
        }
    }

    /// I11: what is parked for the moment of a step is shown again when that is over, and when a device
    /// starts.
    func checkHidden(in home: Home, of device: Device) {
        for name in home.disk.parking.entries.keys.sorted() {
            fail("I11: device \(device.index) hides \(name) from its apps")
        }
    }

    /// I7: who takes a directory away knew the items that it was, as far as this disk shows them. Looked at
    /// between transactions: apps also act inside of one.
    func resolveRemoved(in home: Home) {
        guard !home.progress.removed.isEmpty else { return }
        let removed = home.progress.removed
        home.progress.removed = removed.filter { directory in
            let seen = try? home.storage.read { transaction -> [FileID]? in
                guard let row = try transaction.synced(inode: directory, ignoringBirth: false).first else {
                    return nil
                }
                let node = try transaction.item(row.file)
                return [row.file] + (node?.id == row.file ? node?.aliases ?? [] : [])
            }
            guard let seen = seen ?? nil else { return true }
            truths[home.app].seenDirectories += seen
            return false
        }
    }
}
