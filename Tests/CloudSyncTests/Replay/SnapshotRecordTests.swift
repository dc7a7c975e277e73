import CloudStore
import CloudSync
import SyncChecks
import SyncContent
import TestKit
import Testing

@testable import SyncLog

/// A tree from records that anybody may have made.
@Suite struct SnapshotRecordTests {
    private func model() throws -> ReplayModel {
        var model = ReplayModel(seed: 5)
        #expect(try model.run() == [])
        return model
    }

    @Test func `Every record comes back as it went`() throws {
        for bytes in try model().witness.records() {
            #expect(try SnapshotRecord(bytes).encoded() == bytes)
        }
    }

    @Test func `Records come in ascending order of their keys`() throws {
        let keys = try model().witness.records().map { try SnapshotRecord($0).key }
        #expect(zip(keys, keys.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) })
    }

    @Test func `A snapshot that lacks a row, or has them in another order, is refused or is another tree`()
        throws
    {
        let model = try model()
        let records = try model.witness.records().map { try SnapshotRecord($0) }
        let hash = try model.witness.read { try $0.treeHash() }
        let head = try model.witness.read { try $0.treeHead() }
        for index in records.indices {
            var fewer = records
            fewer.remove(at: index)
            let storage = MemoryStorage()
            do {
                try storage.write { try load(fewer, head, into: $0) }
            } catch is TreeError { continue }
            let findings = try storage.read { try TreeInvariants.findings(in: $0) }
            #expect(findings == [])
            #expect(try storage.read { try $0.treeHash() } != hash)
        }
        #expect(throws: TreeError.self) {
            try MemoryStorage().write { try load(records.reversed(), head, into: $0) }
        }
    }

    @Test func `Damaged records are an error, or a row that fits, never the end of the process`() throws {
        let model = try model()
        let records = try model.witness.records()
        let head = try model.witness.read { try $0.treeHead() }
        var random = SeededRandom(seed: 3)
        for _ in 0..<300 {
            var damaged = records
            let index = random.below(damaged.count)
            damaged[index][random.below(damaged[index].count)] ^= 1 << UInt8(random.below(8))
            let storage = MemoryStorage()
            do {
                try storage.write { try load(damaged.map { try SnapshotRecord($0) }, head, into: $0) }
            } catch is TreeError { continue } catch is CodingError { continue }
            let findings = try storage.read { try TreeInvariants.findings(in: $0) }
            // One content under two positions is nonsense that hurts nobody.
            #expect(findings.allSatisfy { $0.contains("in two contents") || $0.contains("its equal") })
        }
    }

    private func load(_ records: [SnapshotRecord], _ head: TreeHead, into storage: any TreeStorage) throws {
        var loader = try SnapshotLoader(storage)
        for record in records { try loader.load(record) }
        try loader.finish(head: head)
    }

    @Test func whatWasBegunAndNotMoreIsMadeWhole() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/begun.sqlite"
        try beginMigrations(in: path)
        try SQLiteStorage(path: path).write { try $0.setAccountIdentity(AccountIdentity(bits: 7)) }
        #expect(try SQLiteStorage(path: path).read { try $0.accountIdentity() } == AccountIdentity(bits: 7))
    }

    @Test func `A database that a later version made is refused and not touched`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/t.sqlite"
        _ = try SQLiteStorage(path: path)
        try addMigration("tree 99", to: path)
        #expect(throws: StorageError.newer) { try SQLiteStorage(path: path) }
    }

    @Test func `A database that is closed and opened has the same tree`() throws {
        let folder = try TemporaryFolder()
        let model = try model()
        let path = folder.path + "/t.sqlite"
        try SQLiteStorage(path: path).pull(model.log)
        let reopened = try SQLiteStorage(path: path)
        #expect(try reopened.records() == model.witness.records())
        #expect(try reopened.read { try $0.treeHash() } == model.witness.read { try $0.treeHash() })
    }

    @Test func `A transaction that throws leaves nothing`() throws {
        struct Stop: Error {}
        let folder = try TemporaryFolder()
        let model = try model()
        for storage in [MemoryStorage(), try SQLiteStorage(path: folder.path + "/t.sqlite")]
            as [any SyncStorage]
        {
            let empty = try storage.read { try $0.treeHash() }
            #expect(throws: Stop.self) {
                try storage.write { transaction in
                    for entry in model.log.entries {
                        _ = try TreeState(transaction).apply(entry.commit, entryHash: entry.hash)
                    }
                    throw Stop()
                }
            }
            #expect(try storage.read { try $0.treeHash() } == empty)
            try storage.pull(model.log)
            #expect(try storage.records() == model.witness.records())
        }
    }
}
