internal import CloudStore
internal import SyncContent
internal import SyncLog

/// The next snapshot, and what it lets go of. Any device may, beside the rounds that go on: the tree that is
/// written stands still.
extension LogClient {
    /// By what this device knows: somebody else may have made one.
    func isSnapshotDue() throws(SyncFailure) -> Bool {
        try storage.reading { transaction in
            guard let journal = try transaction.journal(), !journal.isPaused,
                try transaction.unknownWords().isEmpty
            else { return false }
            return isDue(journal, try transaction.treeCounts())
        }
    }

    /// Makes the next snapshot where it is due.
    func makeSnapshot(_ writer: ContentWriter) async throws(SyncFailure) {
        guard try isSnapshotDue() else { return }
        let counted = try place().journal
        let tree = try frozenTree()
        do throws(SnapshotError) {
            // Somebody may have made one.
            let newest = try await SnapshotReader(account, log: name).list().value.last?.sequence ?? 0
            var left = counted.counting(tree.head - min(tree.head, newest))
            if isDue(left, tree.counts) {
                _ = try await SnapshotWriter(account, log: name, writer: writer).write(tree.database)
                left = left.counting(0)
            }
            try note(counted, left)
        } catch {
            if case .changed = error { return }
            throw SyncFailure(error)
        }
    }

    /// Lets go of old entries, snapshots and floors.
    func truncate() async throws(SyncFailure) -> LogTruncation.Report {
        do { return try await LogTruncation(account, log: name).run() } catch { throw SyncFailure(error) }
    }

    private func isDue(_ journal: Journal, _ counts: TreeCounts) -> Bool {
        surroundings.settings.snapshots.isDue(
            commits: journal.entriesSinceSnapshot, logBytes: journal.bytesSinceSnapshot,
            documents: counts.documents)
    }

    private struct FrozenTree {
        var database: any TreeDatabase
        var head: UInt64
        var counts: TreeCounts
    }

    private func frozenTree() throws(SyncFailure) -> FrozenTree {
        do {
            let database = try storage.frozen()
            return try database.readTree { tree in
                FrozenTree(
                    database: database, head: try tree.treeHead().sequence, counts: try tree.treeCounts())
            }
        } catch { throw SyncFailure(storage: error) }
    }

    /// A snapshot has all that was counted but what is left.
    private func note(_ counted: Journal, _ left: Journal) throws(SnapshotError) {
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
