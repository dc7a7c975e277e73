package import SyncContent
internal import SyncLog
internal import SystemPackage

/// What came of a removal of documents that a log has.
package struct SyncedRemoval: Equatable, Sendable {
    /// Files, symlinks and directories.
    package var removed = 0
    /// So many documents stayed: the log has them otherwise or not at all, somebody has them open, or they
    /// have no place in the cloud.
    package var left = 0
}

extension LocalDisk {
    /// Removes all documents that the log has as they lie here, and the directories that are empty then.
    /// Nobody syncs the app meanwhile.
    /// - Parameter storage: what sync remembers.
    /// - Throws: what the disk throws; what was removed before that stays removed.
    package func removeSynced(
        _ storage: any SyncStorage, _ randomness: any SyncRandomness
    ) throws -> SyncedRemoval {
        var removal = SyncedRemoval()
        var waiting = [LocalPath()]
        // Those above come before those below.
        var directories: [LocalItem] = []
        while let directory = waiting.popLast() {
            // The parts of a database go with it.
            let items = try list(directory).filter { $0.exclusion != .databaseCompanion }
            let inside = items.filter { $0.kind == .directory && $0.exclusion == nil }
            directories += inside
            waiting += inside.map(\.path)
            let documents = items.filter { $0.kind != .directory || $0.exclusion != nil }
            let isKept = try storage.read { transaction in
                try documents.map { try transaction.isKept($0) }
            }
            for (document, isKept) in zip(documents, isKept) {
                let isRemoved = try isKept && remove(document, randomness)
                if isRemoved { removal.removed += 1 } else { removal.left += 1 }
            }
        }
        for directory in directories.reversed() {
            let isKnown = try storage.read { try $0.synced(at: directory.path) != nil }
            if try isKnown && list(directory.path).isEmpty && remove(directory, randomness) {
                removal.removed += 1
            }
        }
        return removal
    }

    /// - Returns: whether it is gone; false where it is not any more what it was, or is in use.
    private func remove(
        _ item: LocalItem, _ randomness: any SyncRandomness
    ) throws(LocalError) -> Bool {
        guard let present = try look(at: item.path), present.fingerprint.isSameInode(as: item.fingerprint),
            !present.isBeingWritten
        else { return false }
        let name = StagingName.new(randomness)
        do throws(LocalError) {
            // A removal changes the directory that it is in.
            let expecting = item.kind == .directory ? present.fingerprint : item.fingerprint
            try remove(item.path, expecting: expecting, displacedAs: name)
        } catch {
            if error == .changed || error == .gone || error == .inUse { return false }
            throw error
        }
        if item.kind == .file {
            try dropDisplaced(Displaced(name: name, fingerprint: item.fingerprint))
        }
        return true
    }
}
