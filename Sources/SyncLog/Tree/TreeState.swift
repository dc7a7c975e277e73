internal import StoreBasics

/// The tree that the log makes, and the rules by which each commit changes it: total, the same on every
/// device, and blind to everything but the rows and the commit.
package struct TreeState {
    let storage: any TreeStorage
    let rules: SafetyRules
    /// What this build knows of what a log may require.
    var features = LogFeature.known

    /// `storage` is a transaction: what is applied lasts when that is committed.
    package init(_ storage: any TreeStorage, rules: SafetyRules = .all) {
        self.storage = storage
        self.rules = rules
    }

    /// Applies the next commit of the log.
    /// - Parameter entryHash: of the log object's bytes, which the next entry's `previous` has to name.
    /// - Throws: `TreeError.notNext` where the commit does not follow the tree's head, and what the storage
    ///   throws. The transaction must not be kept then.
    package func apply(_ commit: Commit, entryHash: ContentHash) throws -> TreeChange {
        let head = try advance(to: commit, entryHash: entryHash)
        var replay = Replay(self, now: head.time, sequence: head.sequence)
        try replay.expire()
        if rules.hold(.lateTwinsAreDropped), try isTwin(commit.batch) {
            replay.change.isTwin = true
            return replay.change
        }
        let batch = commit.batch
        try storage.setDeviceMark(
            DeviceMark(device: batch.device, n: batch.n, batchHash: commit.batchHash))
        for (index, operation) in batch.operations.enumerated() {
            try replay.apply(operation, revision: batch.revision(of: index))
        }
        return replay.change
    }

    private func advance(to commit: Commit, entryHash: ContentHash) throws -> TreeHead {
        let head = try storage.treeHead()
        guard commit.sequence == head.sequence &+ 1, commit.previous == head.entryHash else {
            throw TreeError.notNext(head: head.sequence)
        }
        let next = TreeHead(
            sequence: commit.sequence, entryHash: entryHash, time: max(head.time, commit.time))
        try storage.setTreeHead(next)
        return next
    }

    /// The number tells, not the hash: a clone's batch under a number that took effect is dropped too, and
    /// its sender, who finds another hash there, says it again under a new name.
    private func isTwin(_ batch: Batch) throws -> Bool {
        guard let mark = try storage.deviceMark(batch.device) else { return false }
        return batch.n <= mark.n
    }
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
