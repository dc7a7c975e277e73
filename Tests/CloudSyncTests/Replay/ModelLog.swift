import CloudStore
import StoreBasics

@testable import CloudSync
@testable import SyncLog

/// A log as devices of a model share it: commits that follow each other, with the hashes that chain them.
struct ModelLog {
    struct Entry {
        var commit: Commit
        var hash: ContentHash
    }

    private(set) var entries: [Entry] = []
    var time: Int64 = 1_000_000_000

    /// Puts a batch into the next slot.
    mutating func append(_ batch: Batch, batchHash: ContentHash? = nil) {
        let commit = Commit(
            sequence: UInt64(entries.count) + 1, previous: entries.last?.hash ?? TreeHead.empty.entryHash,
            time: StoreTime(seconds: time), batch: batch, batchHash: batchHash ?? Self.hash(of: batch))
        entries.append(Entry(commit: commit, hash: Self.hash(of: commit)))
    }

    /// Any number does for a model that has no clones.
    static func hash(of batch: Batch) -> ContentHash {
        ContentHash(high: UInt128(batch.n), low: batch.device.bits)
    }

    /// Any chain does for a model: not of bytes, but different for each slot.
    static func hash(of commit: Commit) -> ContentHash {
        ContentHash(high: UInt128(commit.sequence), low: commit.previous.low &+ commit.batch.device.bits)
    }
}

extension SyncStorage {
    /// Applies the entries of a log that the tree does not hold yet, at most so many.
    @discardableResult
    func pull(_ log: ModelLog, rules: SafetyRules = .all, limit: Int = .max) throws -> TreeChange {
        try write { transaction in
            var change = TreeChange()
            let cursor = Int(try transaction.treeCursor())
            for entry in log.entries[cursor...].prefix(limit) {
                let next = try TreeState(transaction, rules: rules).apply(
                    entry.commit, entryHash: entry.hash)
                change.add(next)
                change.isTwin = next.isTwin
            }
            return change
        }
    }

    /// Applies the entries, each in parts of so many operations and a transaction for each.
    func pull(_ log: ModelLog, inPartsOf count: Int, rules: SafetyRules = .all) throws {
        for entry in try log.entries[Int(read { try $0.treeCursor() })...] {
            let operations = entry.commit.batch.operations
            var part = CommitPart(entry.commit)
            repeat {
                part.commit.batch.operations = Array(operations.dropFirst(part.first).prefix(count))
                let next = part.first + part.commit.batch.operations.count
                part.isLast = next == operations.count
                let change = try write { try TreeState($0, rules: rules).apply(part, entryHash: entry.hash) }
                if change.isTwin { break }
                part.first = next
            } while !part.isLast
        }
    }

    /// Applies a batch as if it were next in the log.
    @discardableResult
    func speculate(_ batch: Batch, rules: SafetyRules) throws -> TreeChange {
        try write { transaction in
            let head = try transaction.treeHead()
            let commit = Commit(
                sequence: head.sequence + 1, previous: head.entryHash, time: head.time, batch: batch,
                batchHash: ModelLog.hash(of: batch))
            return try TreeState(transaction, rules: rules).apply(
                commit, entryHash: ModelLog.hash(of: commit))
        }
    }
}
