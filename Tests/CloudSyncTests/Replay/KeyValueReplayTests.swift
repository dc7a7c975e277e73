import StoreBasics
import TestKit
import Testing

@testable import CloudSync
@testable import SyncLog

/// What a key-value store's log makes of its words.
@Suite struct KeyValueReplayTests {
    /// A store's log, and the state that it makes.
    private struct Zone: ~Copyable {
        let storage: any SyncStorage
        private let folder: TemporaryFolder?
        private var log = ModelLog()
        private var numbers: [UInt128: UInt64] = [:]

        init(_ kind: StorageKind = .memory) throws {
            guard kind == .database else {
                storage = MemoryStorage()
                folder = nil
                return
            }
            let made = try TemporaryFolder()
            storage = try SQLiteStorage(path: made.path + "/k.sqlite")
            folder = consume made
        }

        /// Commits a batch of one device at a second.
        /// - Returns: the keys that changed.
        @discardableResult
        mutating func commit(
            _ device: UInt128, at second: Int64, zone: LogZone = .keyValues, _ operations: Operation...
        ) throws -> Set<KeyName> {
            numbers[device, default: 0] += 1
            log.time = second
            log.append(
                Batch(device: DeviceID(bits: device), n: numbers[device] ?? 0, operations: operations))
            let entry = log.entries[log.entries.count - 1]
            return try storage.write {
                try TreeState($0, zone: zone).apply(entry.commit, entryHash: entry.hash).keys
            }
        }

        /// Of the keys that have one.
        var values: [String: String] {
            get throws {
                let records = try storage.read { try $0.keyValues(after: nil, limit: .max) }
                return Dictionary(
                    uniqueKeysWithValues: records.compactMap { record in
                        record.value.map { (record.key.text, String(decoding: $0, as: UTF8.self)) }
                    })
            }
        }
    }

    private static func set(_ key: String, _ value: String?, at seconds: Double) -> Operation {
        .keyValue(
            KeyValueOperation(
                key: KeyName(key), value: value.map { Array($0.utf8) },
                stamp: KeyValueStamp(milliseconds: Int64(seconds * 1000))))
    }

    @Test(arguments: StorageKind.allCases)
    func theLaterWordCountsInWhateverOrderTheLogHasThem(kind: StorageKind) throws {
        var zone = try Zone(kind)
        #expect(try zone.commit(1, at: 100, Self.set("a", "later", at: 100.5)) == [KeyName("a")])
        #expect(try zone.commit(2, at: 105, Self.set("a", "earlier", at: 100.4)) == [])
        #expect(try zone.values == ["a": "later"])
        // Between equal moments the higher device's.
        try zone.commit(2, at: 106, Self.set("a", "equal", at: 100.5))
        #expect(try zone.values == ["a": "equal"])
        try zone.commit(1, at: 107, Self.set("a", nil, at: 101), Self.set("b", "b", at: 101))
        #expect(try zone.values == ["b": "b"])
        try zone.commit(2, at: 108, Self.set("a", "before it was removed", at: 100.9))
        #expect(try zone.values == ["b": "b"])
    }

    @Test(arguments: StorageKind.allCases)
    func aClockThatIsAheadWinsNoLongerThanUntilTheNextSecond(kind: StorageKind) throws {
        var zone = try Zone(kind)
        try zone.commit(9, at: 100, Self.set("a", "an hour ahead", at: 3_700))
        try zone.commit(1, at: 101, Self.set("a", "later", at: 101))
        #expect(try zone.values == ["a": "later"])
    }

    @Test(arguments: StorageKind.allCases)
    func whatWasRemovedIsKnownForHalfAYear(kind: StorageKind) throws {
        var zone = try Zone(kind)
        try zone.commit(1, at: 100, Self.set("a", "a", at: 100), Self.set("b", "b", at: 100))
        try zone.commit(1, at: 200, Self.set("a", nil, at: 200))
        try zone.commit(1, at: 200 + Retention.tombstoneSeconds, Self.set("c", "c", at: 300))
        #expect(try zone.storage.read { try $0.keyValue(KeyName("a")) } != nil)
        try zone.commit(1, at: 201 + Retention.tombstoneSeconds, Self.set("d", "d", at: 300))
        #expect(try zone.storage.read { try $0.keyValue(KeyName("a")) } == nil)
        #expect(try zone.values == ["b": "b", "c": "c", "d": "d"])
    }

    /// As in a dictionary on iOS.
    @Test(arguments: StorageKind.allCases)
    func keysAreOneOnlyWhereTheirBytesAre(kind: StorageKind) throws {
        var zone = try Zone(kind)
        let names = ["caf\u{e9}", "cafe\u{301}"]
        try zone.commit(1, at: 100, Self.set(names[0], "1", at: 100), Self.set(names[1], "2", at: 100))
        let records = try zone.storage.read { try $0.keyValues(after: nil, limit: .max) }
        #expect(records.map { $0.value ?? [] } == [Array("2".utf8), Array("1".utf8)])
    }

    @Test(arguments: StorageKind.allCases)
    func aSnapshotMakesTheSameState(kind: StorageKind) throws {
        var zone = try Zone(kind)
        var random = SeededRandom(seed: 11)
        for second in 100..<300 {
            let key = "key \(random.below(40))"
            let value = random.below(4) == 0 ? nil : "value \(second)"
            let seconds = Double(second) - Double(random.below(30))
            try zone.commit(UInt128(random.below(5)), at: Int64(second), Self.set(key, value, at: seconds))
        }
        let records = try zone.storage.records()
        let (head, hash) = try zone.storage.read { (try $0.treeHead(), try $0.treeHash()) }
        let other = MemoryStorage()
        try other.write { transaction in
            var loader = try SnapshotLoader(transaction)
            for bytes in records { try loader.load(try SnapshotRecord(bytes)) }
            try loader.finish(head: head)
        }
        #expect(try other.records() == records)
        #expect(try other.read { try $0.treeHash() } == hash)
    }

    /// Builds that know no key-value store have to make the same tree of a log.
    @Test func anotherLogKnowsNoKeysAndThisOneNoFiles() throws {
        var files = try Zone()
        try files.commit(1, at: 100, zone: .files, Self.set("a", "a", at: 100))
        #expect(try files.values.isEmpty)
        #expect(try files.storage.read { try $0.unknownWords() } == ["operation 11"])
        var zone = try Zone()
        try zone.commit(1, at: 100, Say.create(1, "a", 1), Say.move(1, "b"), Self.set("a", "a", at: 100))
        #expect(try zone.storage.read { try $0.nodes(after: nil, limit: .max) }.isEmpty)
        #expect(try zone.values == ["a": "a"])
    }
}
