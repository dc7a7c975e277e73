internal import CloudSync
internal import SyncLog

/// The end of a history: nothing fails any more, and all has to come to rest in bounded time (I10).
extension World {
    func calmDown() {
        guard failures.isEmpty else { return }
        isCalm = true
        allSleepUntil = 0
        store.isAway = false
        store.capacityBytes = .max
        store.corrupt = []
        for device in devices where !device.isGone {
            device.way = StoreClient.Way(clockOffset: device.way.clockOffset)
            device.dues = []
            comeBack(device)
            for home in device.homes { home.disk.isFull = false }
            device.dueEnding = nil
            device.races = []
            // What it may send is told to an engine when it is made.
            if plan.quotaBytes != nil { end(device, .killed, away: Plan.second) }
            if let life = device.life {
                life.resumeAll()
            } else {
                start(device)
            }
        }
        trace.note("calm", line: "nothing fails from here on")
        lastChange = timeline.now
        go(until: timeline.now + 1800 * Plan.second) { [unowned self] in isQuiet }
        guard failures.isEmpty, !isQuiet else { return }
        // Bytes that are gone keep who needs them from resting.
        checkReferences()
        fail("I10: no rest: \(unrest)")
    }

    /// Every device looked around after the last change of anything, and found nothing to do.
    private var isQuiet: Bool {
        devices.filter { !$0.isGone }.allSatisfy { device in
            device.errands == 0 && device.upToDateSince.map { $0 > lastChange } ?? false
                && !device.isStepping && device.homes.allSatisfy(isQuiet) && hasAllKeys(device)
        }
    }

    private func isQuiet(_ home: Home) -> Bool {
        home.disk.changes.isEmpty && cursor(of: home) == truths[home.app].head
            && home.disk.allFiles.allSatisfy { $0.writers == 0 }
    }

    private func cursor(of home: Home) -> UInt64 {
        (try? home.storage.read { try $0.treeHead().sequence }) ?? 0
    }

    /// What is still to be brought to its disk.
    func pending(of device: Device) -> String { device.homes.map(pending).joined(separator: " and") }

    private func pending(in home: Home) -> String {
        let rows = try? home.storage.read { transaction in
            try transaction.pending(after: nil, limit: 4).map { file in
                let synced = try transaction.synced(file)
                let node = try transaction.item(file)
                return " pending \(node?.name ?? "?") \(node.map { "\($0.state)" } ?? "")"
                    + " synced \(synced?.name ?? "no")"
                    + " unknown \(try isUnknown(synced, transaction))"
                    + (try node.map { try inTheWay(of: $0, on: home.disk, transaction) } ?? "")
            }
        }
        return (rows ?? []).joined()
    }

    /// What lies where an item belongs, and whose place that is by the synced tree.
    private func inTheWay(of node: Node, on disk: Disk, _ tree: any SyncTransaction) throws -> String {
        guard let path = try tree.localPath(of: node.parent)?.appending(node.name) else { return " no place" }
        let owner = try tree.synced(in: node.parent, named: node.name)
        return " there \(disk.find(path).map { "\($0.kind)" } ?? "nothing")"
            + " of \(owner.map { $0.file == node.id ? "its own" : "\($0)" } ?? "nobody")"
    }

    /// It names a batch that the log does not have.
    private func isUnknown(_ synced: SyncedItem?, _ tree: any SyncTransaction) throws -> Bool {
        try [synced?.place, synced?.revision].compactMap(\.self).contains { revision in
            try tree.deviceMark(revision.device).map { $0.n < revision.n } ?? true
        }
    }

    private var unrest: String {
        devices.filter { !$0.isGone }.map { device in
            "device \(device.index) at \(device.homes.map(cursor)) of \(truths.map(\.head)), "
                + (device.rest.map { "\($0)" } ?? "has not ended a step") + pending(of: device)
        }.joined(separator: "; ")
    }
}
