internal import StoreBasics

/// The tree that the log makes, and the rules by which each commit changes it: total, the same on every
/// device, and blind to everything but the rows and the commit.
package struct TreeState {
    let storage: any TreeStorage
    let rules: SafetyRules
    let zone: LogZone
    /// What this build knows of what a log may require.
    var features = LogFeature.known

    /// `storage` is a transaction: what is applied lasts when that is committed.
    package init(_ storage: any TreeStorage, rules: SafetyRules = .all, zone: LogZone = .files) {
        self.storage = storage
        self.rules = rules
        self.zone = zone
    }

    /// Applies the next commit of the log.
    /// - Parameter entryHash: of the log object's bytes, which the next entry's `previous` has to name.
    /// - Throws: `TreeError.notNext` where the commit does not follow the tree's head, and what the storage
    ///   throws. The transaction must not be kept then.
    package func apply(_ commit: Commit, entryHash: ContentHash) throws -> TreeChange {
        try apply(CommitPart(commit), entryHash: entryHash)
    }

    /// Applies the next part of the next commit. Up to its last one the tree's head stays where it was, the
    /// tree is none that the log ever made, and `TreeStorage.commitProgress` says so.
    /// - Throws: as above; `TreeError.notNext` also where another entry was begun.
    package func apply(_ part: CommitPart, entryHash: ContentHash) throws -> TreeChange {
        let head = try head(after: part, entryHash)
        var replay = Replay(self, now: head.time, sequence: head.sequence)
        let batch = part.commit.batch
        if part.first == 0 {
            try replay.expire()
            if rules.hold(.lateTwinsAreDropped), try isTwin(batch) {
                replay.change.isTwin = true
                try storage.setTreeHead(head)
                return replay.change
            }
            try storage.setDeviceMark(
                DeviceMark(device: batch.device, n: batch.n, batchHash: part.commit.batchHash))
        } else if let progress = try storage.commitProgress() {
            replay.brought = progress.revisions(of: batch)
        }
        for (index, operation) in batch.operations.enumerated() {
            try replay.apply(operation, revision: batch.revision(of: part.first + index))
        }
        if part.isLast { try storage.setTreeHead(head) }
        if part.first > 0 || !part.isLast {
            let progress = CommitProgress(part, entryHash, brought: replay.brought)
            try storage.setCommitProgress(part.isLast ? nil : progress)
        }
        return replay.change
    }

    /// The tree's head when all of the commit was applied.
    private func head(after part: CommitPart, _ entryHash: ContentHash) throws -> TreeHead {
        let head = try storage.treeHead()
        let progress = try storage.commitProgress()
        let isNext = part.first == progress?.applied ?? 0 && progress?.entryHash ?? entryHash == entryHash
        let commit = part.commit
        guard isNext, commit.sequence == head.sequence &+ 1, commit.previous == head.entryHash else {
            throw TreeError.notNext(head: head.sequence)
        }
        return TreeHead(sequence: commit.sequence, entryHash: entryHash, time: max(head.time, commit.time))
    }

    /// The number tells, not the hash: a clone's batch under a number that took effect is dropped too, and
    /// its sender, who finds another hash there, says it again under a new name.
    private func isTwin(_ batch: Batch) throws -> Bool {
        guard let mark = try storage.deviceMark(batch.device) else { return false }
        return batch.n <= mark.n
    }
}

/// What a log is of: words of the one are none in the other.
package enum LogZone: Equatable, Sendable {
    case files
    case keyValues
}

package enum TreeError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The log has a hole, or was forked: this entry does not follow the tree's head.
    case notNext(head: UInt64)
    /// A row contradicts another: the database or the snapshot is damaged.
    case damaged(String)

    package var description: String {
        switch self {
        case .notNext(let head): "entry \(head &+ 1) of the log is missing, or was forked"
        case .damaged(let what): "what is known of the tree contradicts itself: \(what)"
        }
    }
}
