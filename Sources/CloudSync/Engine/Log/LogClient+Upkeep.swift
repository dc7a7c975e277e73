internal import CloudStore
internal import SyncContent
internal import SyncLog

/// The next snapshot, and what it lets go of. Any device may, beside the rounds that go on: the tree that is
/// written stands still.
extension LogClient {
    /// By what this device knows: somebody else may have made one.
    func isSnapshotDue() throws(SyncFailure) -> Bool {
        try storage.reading { transaction in
            guard let journal = try transaction.journal(), try transaction.unknownWords().isEmpty else {
                return false
            }
            return surroundings.settings.snapshots.isDue(journal, try transaction.treeCounts())
        }
    }

    /// Makes the next snapshot where it is due.
    func makeSnapshot(_ writer: ContentWriter) async throws(SyncFailure) {
        guard try isSnapshotDue() else { return }
        let counted = try place().journal
        do throws(SnapshotError) {
            let tree = try frozenTree()
            let entries = try await entriesSinceSnapshot(tree)
            if try isDue(counted.counting(entries), tree) {
                _ = try await SnapshotWriter(account, log: name, writer: writer).write(tree)
                try note(counted, left: 0)
            } else {
                // Somebody made one.
                try note(counted, left: entries)
            }
        } catch {
            if case .changed = error { return }
            throw SyncFailure(error)
        }
    }

    /// Lets go of old entries, snapshots and floors.
    func truncate() async throws(SyncFailure) -> LogTruncation.Report {
        do { return try await LogTruncation(account, log: name).run() } catch { throw SyncFailure(error) }
    }

    private func frozenTree() throws(SnapshotError) -> any TreeDatabase {
        do { return try storage.frozen() } catch { throw .storage("\(error)") }
    }

    /// Of a tree's log since the newest snapshot that the store has.
    private func entriesSinceSnapshot(_ tree: any TreeDatabase) async throws(SnapshotError) -> UInt64 {
        let newest = try await SnapshotReader(account, log: name).list().value.last?.sequence ?? 0
        do {
            let head = try tree.readTree { try $0.treeHead().sequence }
            return head - min(head, newest)
        } catch { throw .storage("\(error)") }
    }

    private func isDue(_ journal: Journal, _ tree: any TreeDatabase) throws(SnapshotError) -> Bool {
        do {
            return try tree.readTree { surroundings.settings.snapshots.isDue(journal, try $0.treeCounts()) }
        } catch { throw .storage("\(error)") }
    }

    /// A snapshot has all that was counted but the last entries of it.
    private func note(_ counted: Journal, left entries: UInt64) throws(SnapshotError) {
        let left = counted.counting(entries)
        do {
            try storage.write { transaction in
                try transaction.changeJournal { journal in
                    journal.entriesSinceSnapshot.subtract(
                        counted.entriesSinceSnapshot - left.entriesSinceSnapshot)
                    journal.bytesSinceSnapshot.subtract(counted.bytesSinceSnapshot - left.bytesSinceSnapshot)
                }
            }
        } catch { throw .storage("\(error)") }
    }
}

extension Journal {
    /// With no more entries since the newest snapshot than so many, and with as large a part of their bytes.
    fileprivate func counting(_ entries: UInt64) -> Journal {
        guard entries < entriesSinceSnapshot else { return self }
        var journal = self
        let part = Double(entries) / Double(entriesSinceSnapshot)
        journal.entriesSinceSnapshot = entries
        journal.bytesSinceSnapshot = UInt64(Double(bytesSinceSnapshot) * part)
        return journal
    }
}

extension UInt64 {
    fileprivate mutating func subtract(_ other: UInt64) { self -= Swift.min(self, other) }
}

extension SnapshotPolicy {
    fileprivate func isDue(_ journal: Journal, _ counts: TreeCounts) -> Bool {
        isDue(
            commits: journal.entriesSinceSnapshot, logBytes: journal.bytesSinceSnapshot,
            documents: counts.documents)
    }
}
