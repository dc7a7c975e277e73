internal import SyncContent
package import SyncLog

/// Finds what this disk does not show yet of the tree, and what of it may be done without touching local
/// bytes that nobody was told of: a local change wins its place until it was committed.
///
/// It reads and changes nothing. One is made for one plan, in a read transaction.
package final class DownPlanner {
    let storage: any SyncTransaction
    let disk: any LocalDisk
    let rules: SafetyRules
    /// Of a directory with more items than that, those are not all looked at for its sake.
    let limit: Int

    var considered: Set<FileID> = []
    var changes: [PlaceChange] = []
    /// What is done at the place change of an item.
    var atPlace: [FileID: DownAction] = [:]
    /// Whose name an item takes. Names may form a circle, so whether that one leaves is known only at the
    /// end.
    var takenFrom: [FileID: FileID] = [:]
    /// New directories, from when their names are looked for: what goes into one is planned with it, and
    /// dropped again with it. Who has its name may have to be emptied into it first.
    var coming: Set<FileID> = []
    /// Directories that were seen to lie where their rows say.
    var met: Set<FileID> = []
    /// What has to leave a directory before that goes.
    var emptied: [FileID: [FileID]] = [:]
    /// Directories that stay for what they hold; one above them has to linger with them.
    var lingering: Set<FileID> = []
    /// Directories that will: their removal finds out what never was in the cloud.
    var staying: Set<FileID> = []
    /// What is done wherever the item then lies.
    var afterwards: [DownAction] = []
    var plan = DownPlan()
    var unreadable: Set<LocalPath> = []
    /// Where something comes that is in no tree.
    var keptPaths: Set<LocalPath> = []
    /// The last batch of each device that is in the tree.
    private var marks: [DeviceID: UInt64] = [:]

    package init(_ storage: any SyncTransaction, disk: any LocalDisk, rules: SafetyRules, limit: Int = .max) {
        self.storage = storage
        self.disk = disk
        self.rules = rules
        self.limit = limit
    }

    /// - Parameter files: pending ones; a directory, or who stands in the way, is taken up with them.
    /// - Throws: what the database throws; `LocalError.ended`.
    package func plan(_ files: [FileID]) throws -> DownPlan {
        for file in files { try consider(file) }
        try resolveNames()
        try dropWhatWaitsForOthers()
        let steps = try PlaceOrder.sorted(changes) { try storage.synced($0)?.parent }
        for step in steps {
            switch step {
            case .park(let index):
                guard var action = atPlace[changes[index].file] else { continue }
                action.kind = .park
                action.name = DownAction.parkingName(of: action.file)
                plan.actions.append(action)
            case .change(let index):
                if let action = atPlace[changes[index].file] { plan.actions.append(action) }
            }
        }
        plan.actions += afterwards
        plan.deferred.sort()
        // Nothing of it was here when it was looked at; then an item that became one with it was.
        plan.upToDate = Set(plan.upToDate).subtracting(plan.deferred).sorted()
        return plan
    }

    func consider(_ file: FileID) throws {
        guard considered.insert(file).inserted else { return }
        guard file != .root, let node = try storage.item(file) else { return try considerUnknown(file) }
        if node.id != file { return try considerMerged(file, node) }
        switch node.state {
        case .live: try considerLive(node)
        case .deleted: try considerDeleted(node)
        case .withdrawn: try considerWithdrawn(node)
        }
    }

    private func dropWhatWaitsForOthers() throws {
        var isChanged = true
        while isChanged {
            isChanged = false
            for (taker, owner) in takenFrom.sorted(by: { $0.key < $1.key })
            where atPlace[taker] != nil && atPlace[owner] == nil {
                atPlace[taker] = nil
                wait(taker, try storage.localPath(of: owner))
                isChanged = true
            }
            for change in changes where atPlace[change.file] != nil {
                guard let parent = change.to?.parent, coming.contains(parent), atPlace[parent] == nil
                else { continue }
                atPlace[change.file] = nil
                wait(change.file, nil)
                isChanged = true
            }
            for (directory, children) in emptied.sorted(by: { $0.key < $1.key })
            where atPlace[directory] != nil
                && children.contains(where: { atPlace[$0] == nil && !lingering.contains($0) })
            {
                atPlace[directory] = nil
                wait(directory, nil)
                isChanged = true
            }
        }
        changes.removeAll { atPlace[$0.file] == nil }
    }

    /// The tree knows of what this device last said of the item. Until then it shows what was before that,
    /// which must not come back over it.
    func isInLog(_ synced: SyncedItem) throws -> Bool {
        for revision in [synced.place, synced.revision ?? synced.place] {
            if marks[revision.device] == nil {
                marks[revision.device] = try storage.deviceMark(revision.device)?.n ?? 0
            }
            if marks[revision.device] ?? 0 < revision.n { return false }
        }
        return true
    }

    // MARK: Answers

    func wait(_ file: FileID, _ path: LocalPath?) {
        plan.deferred.append(file)
        if let path { plan.unseen.insert(path) }
    }

    /// The action with which an item comes, moves or goes.
    func add(_ kind: DownAction.Kind, _ node: Node, file: FileID, name: String, from: Slot?, to: Slot?) {
        changes.append(PlaceChange(file: file, from: from, to: to))
        atPlace[file] = DownAction(kind: kind, file: file, node: node, name: name)
    }

    func remove(_ synced: SyncedItem, _ node: Node) {
        add(
            .remove, node, file: synced.file, name: synced.name, from: Slot(synced.parent, synced.name),
            to: nil)
    }

    /// What lies at a path; nil also where that cannot be known now: `unreadable`.
    func look(_ path: LocalPath) throws -> LocalItem? {
        do {
            return try disk.look(at: path)
        } catch .ended {
            throw LocalError.ended
        } catch .gone {
            return nil
        } catch {
            unreadable.insert(path)
            return nil
        }
    }
}
