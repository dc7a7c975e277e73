internal import CloudStore
internal import SyncContent
internal import SyncLog

extension LogClient {
    /// Puts the newest readable snapshot in place of the tree, where there is one above the tree's head.
    nonisolated(nonsending) func loadNewestSnapshot(above head: UInt64 = 0) async throws(SyncFailure) -> Bool
    {
        let reader = SnapshotReader(account, log: name, limit: surroundings.downloadLimit)
        do throws(SnapshotError) {
            let made = try await reader.list()
            lastDate.hear(made.date)
            for info in made.value.reversed() where info.sequence > head {
                guard let snapshot = try await fetch(info, reader) else { continue }
                try load(snapshot)
                return true
            }
            return false
        } catch {
            throw SyncFailure(error)
        }
    }

    /// - Returns: nil where it is damaged: one before it may do.
    private nonisolated(nonsending) func fetch(
        _ info: SnapshotInfo, _ reader: SnapshotReader
    ) async throws(SnapshotError) -> FetchedSnapshot? {
        do {
            return try await reader.fetch(info, into: storage)
        } catch {
            if case .damaged = error { return nil }
            throw error
        }
    }

    private func load(_ snapshot: FetchedSnapshot) throws(SnapshotError) {
        do {
            let isAnother = try storage.write { transaction in
                try snapshot.load(into: transaction)
                try transaction.notePendingTree()
                return try meet(transaction)
            }
            if isAnother { report(.becameAnotherDevice) }
        } catch {
            throw .storage("\(error)")
        }
    }

    /// Compares the batch in flight with what the snapshot says of this device.
    /// - Returns: whether this device became another.
    private func meet(_ transaction: any SyncTransaction) throws -> Bool {
        guard var journal = try transaction.journal() else { return false }
        journal.forgetPlace()
        try transaction.setJournal(journal)
        guard let mark = try transaction.deviceMark(journal.device) else { return false }
        let frozen = try transaction.frozenBatch()
        switch Identity(mark.device, mark.n, mark.batchHash, journal, frozen, rules) {
        case .foreign: return false
        case .own:
            try finishBatch(transaction)
            if let batch = frozen?.batch { try transaction.untellReplaced(by: batch, rules: rules) }
            return false
        case .clone:
            try becomeAnother(&journal, transaction)
            return true
        }
    }

    /// The log is read from its newest snapshot again, or from its beginning.
    func forgetTree(_ journal: Journal, _ transaction: any SyncTransaction) throws {
        var journal = journal
        journal.forgetPlace()
        try transaction.setJournal(journal)
        try transaction.clearTree()
        try transaction.setEntriesReadFrom(1)
        try transaction.notePendingTree()
    }
}

extension Journal {
    /// The tree is at another place of the log than the entries that were read.
    fileprivate mutating func forgetPlace() {
        headModified = nil
        entriesSinceSnapshot = 0
        bytesSinceSnapshot = 0
    }
}

extension SyncTransaction {
    /// Everything in the tree may differ from what lies on the disk.
    fileprivate func notePendingTree() throws {
        try forEachRow(nodes, after: \.id) { try addPending([$0.id] + $0.aliases) }
        try notePendingUnknown()
    }

    /// What this device still shows of items whose tombstones had expired when the snapshot was made: no row
    /// of the tree leads to them.
    private func notePendingUnknown() throws {
        var directories = [FileID.root]
        while let directory = directories.popLast() {
            let children = try syncedChildren(of: directory)
            try addPending(children.map(\.file).filter { try item($0) == nil })
            directories += children.filter(\.isDirectory).map(\.file)
        }
    }
}

extension SyncFailure {
    init(_ error: SnapshotError) {
        switch error {
        case .content(let error): self.init(error)
        case .unknownVersion: self = .trouble(.unknownFormat("a snapshot"))
        case .damaged(let what): self = .trouble(.storeLies(what))
        case .changed: self = .trouble(.storeSlow)
        case .storage(let what): self = .trouble(.disk(what))
        }
    }
}
