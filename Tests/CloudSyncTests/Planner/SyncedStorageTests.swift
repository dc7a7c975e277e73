import Foundation
import TestKit
import Testing

@testable import CloudSync
@testable import SyncLog

/// The synced tree in SQLite answers as the one in memory does.
struct SyncedStorageTests {
    @Test(arguments: 0..<4 as Range<UInt64>)
    func historiesEndAlikeInTheDatabase(seed: UInt64) async throws {
        let folder = try TemporaryFolder()
        var inMemory = try PlannerHistory(seed: seed)
        try await inMemory.run(steps: 80)
        try await inMemory.finish()
        var inDatabase = try PlannerHistory(seed: seed) {
            try SQLiteStorage(path: "\(folder.path)/\($0).db")
        }
        try await inDatabase.run(steps: 80)
        try await inDatabase.finish()
        #expect(inDatabase.cloud.log == inMemory.cloud.log)
        for (one, other) in zip(inMemory.devices, inDatabase.devices) {
            #expect(one.disk.contents == other.disk.contents)
        }
    }

    @Test func `A database from before a migration is opened with its rows`() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/db"
        let device = TestDevice(1, TestCloud(), storage: try SQLiteStorage(path: path))
        device.disk.write("1", to: "a")
        try device.up()
        try takeBackSynced3(in: path)
        let row = try #require(try device.row("a"))
        #expect(try SQLiteStorage(path: path).read { try $0.synced(row.file) } == row)
    }

    @Test func `What was written beside somebody who reads is kept no longer than that`() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/db"
        let storage = try SQLiteStorage(path: path)
        func write(_ number: Int) throws {
            try storage.write { try $0.addWord("\(number)" + String(repeating: "x", count: 1 << 20)) }
        }
        func logBytes() throws -> UInt64 {
            try #require(try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? UInt64)
        }
        try storage.write { try $0.addWord("first") }
        var reader: (any TreeDatabase)? = try storage.frozen()
        for number in 0..<20 { try write(number) }
        #expect(try logBytes() > 20 << 20)
        #expect(try reader?.readTree { try $0.words() } == ["first"])
        reader = nil
        for number in 20..<23 { try write(number) }
        #expect(try logBytes() <= 16 << 20)
    }

    /// With a layer and without: devices have rows from before there were any.
    @Test(arguments: [0, 3] as [UInt64])
    func whatWasDisplacedIsReadAsItWasWritten(layer: UInt64) throws {
        let folder = try TemporaryFolder()
        let storage = try SQLiteStorage(path: "\(folder.path)/db")
        let fingerprint = Fingerprint(device: 1, inode: 2, birth: 3, sizeBytes: 4, modified: 5, changed: 6)
        var item = DisplacedItem(
            name: "0a", fingerprint: fingerprint, file: FileID(bits: 7),
            base: Revision(device: DeviceID(bits: 8), n: 9, index: 1), hash: ContentHash(high: 1, low: 2),
            parent: .root, itemName: "a")
        (item.layer, item.sent) = (layer, ContentHash(high: 3, low: 4))
        if layer > 0 { item.rowFingerprint = fingerprint }
        try storage.write { try $0.setDisplaced(item) }
        #expect(try storage.read { try $0.displaced("0a") } == item)
    }

    @Test(arguments: [false, true])
    func aDeviceThatBecameAnotherNamesItsNewRevisions(isDatabase: Bool) throws {
        let folder = try TemporaryFolder()
        let storage: any SyncStorage =
            isDatabase ? try SQLiteStorage(path: "\(folder.path)/db") : MemoryStorage()
        let device = TestDevice(1, TestCloud(), storage: storage)
        device.disk.write("1", to: "a")
        try device.up()
        let old = try #require(try device.row("a")?.revision)
        let new = Revision(device: DeviceID(bits: 7), n: 1, index: 0)
        try device.storage.write { try $0.replaceRevisions([old: new]) }
        #expect(try device.row("a")?.revision == new)
        #expect(try device.row("a")?.place == new)
    }
}
