import CloudSync
import Foundation
import SyncChecks
import TestKit
import Testing

@testable import SyncLog

/// Whatever devices say, in whatever order it comes into the log (SYNC.md 7: I2, I3, I4, I6, I7).
///
/// `REPLAY_SEEDS` sets how many random histories there are, `REPLAY_STRIDE=1` searches all small ones.
@Suite struct ReplayModelTests {
    static let environment = ProcessInfo.processInfo.environment
    static let seeds = environment["REPLAY_SEEDS"].flatMap { UInt64($0) } ?? 200
    static let shapes = [ReplayModel.Shape(), .directories, .exchanges]
    static let allShapes = shapes + [.endings]

    @Test(arguments: allShapes.indices)
    func `Nothing is lost and all trees are equal, in random histories`(shape: Int) throws {
        for seed in 0..<Self.seeds {
            var model = ReplayModel(seed: seed, shape: Self.allShapes[shape])
            let findings = try model.run()
            try #require(findings == [], "seed \(seed)")
        }
    }

    /// One branch in so many: some hundred histories of each scene.
    static let strides: [UInt64] = [2, 6, 1, 2, 2]

    @Test(arguments: ReplaySearch.Scene.all.indices)
    func `Nothing is lost in any history of two devices and few operations`(scene: Int) throws {
        let stride = Self.environment["REPLAY_STRIDE"].flatMap { UInt64($0) }
        var search = ReplaySearch(ReplaySearch.Scene.all[scene], stride: stride ?? Self.strides[scene])
        let findings = try search.run([2, 2])
        #expect(findings == [])
        #expect(search.histories > 20)
    }

    /// Every rule of replay that was bought with a counter-example.
    static let rules = Array(SafetyRule.allCases.prefix { $0 != .slotsAreDoubted })

    @Test(arguments: rules)
    func `Without a rule something is lost within 300 histories`(rule: SafetyRule) throws {
        let isCaught = try (0..<300).contains { seed in
            try Self.shapes.contains { shape in
                var model = ReplayModel(
                    seed: UInt64(seed), shape: shape, rules: SafetyRules(removed: [rule]))
                // A tree that is not one any more may stop replay before anybody looks at it.
                do { return try !model.run().isEmpty } catch is TreeError { return true }
            }
        }
        #expect(isCaught)
    }

    @Test func `Memory, database, parts of commits and a tree from a snapshot are equal to the byte`() throws
    {
        let folder = try TemporaryFolder()
        for seed in 1...12 as ClosedRange<UInt64> {
            var model = ReplayModel(seed: seed, shape: Self.shapes[Int(seed % 2)])
            _ = try model.run()
            let database = try SQLiteStorage(path: folder.path + "/\(seed).sqlite")
            try database.pull(model.log, limit: model.log.entries.count / 2)
            let loaded = MemoryStorage()
            let parts = try SQLiteStorage(path: folder.path + "/\(seed) in parts.sqlite")
            try database.copySnapshot(to: loaded)
            try parts.pull(model.log, inPartsOf: 1)
            for storage in [database, loaded, parts] as [any SyncStorage] {
                try storage.pull(model.log)
                let findings = try storage.read { try TreeInvariants.findings(in: $0) }
                #expect(findings == [], "seed \(seed)")
            }
            let records = try model.witness.records()
            #expect(try database.records() == records, "seed \(seed)")
            #expect(try loaded.records() == records, "seed \(seed)")
            #expect(try parts.records() == records, "seed \(seed)")
            #expect(try parts.read { try $0.commitProgress() } == nil)
            let hash = try model.witness.read { try $0.treeHash() }
            #expect(try database.read { try $0.treeHash() } == hash)
            #expect(try database.read { try $0.recordSum() == $0.computeRecordSum() })
            let counts = try model.witness.read { try $0.treeCounts() }
            #expect(try database.read { try $0.treeCounts() } == counts)
        }
    }
}

extension SyncStorage {
    func records() throws -> [[UInt8]] {
        try read { tree in
            var records: [[UInt8]] = []
            try tree.forEachRecord { records.append($0.encoded()) }
            return records
        }
    }

    /// Makes the other storage's tree this one, by way of the records' bytes.
    func copySnapshot(to other: any SyncStorage) throws {
        let head = try read { try $0.treeHead() }
        let records = try records()
        try other.write { storage in
            var loader = try SnapshotLoader(storage)
            for record in records { try loader.load(SnapshotRecord(record)) }
            try loader.finish(head: head)
        }
    }
}
