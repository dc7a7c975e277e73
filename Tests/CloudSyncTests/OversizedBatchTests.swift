import CloudStore
import Posix
import TestKit
import Testing

@testable import CloudSync
@testable import SyncContent
@testable import SyncLog

/// A batch that an earlier build froze and that no reader takes.
struct OversizedBatchTests {
    let clock = ContentFixture.Clock()
    let store: MemoryStore
    let format = LogFixture.format()

    init() {
        store = LogFixture.store(clock)
    }

    private func device(_ seed: UInt64, storage: any SyncStorage = MemoryStorage()) throws -> LogDevice {
        try LogDevice(store, format, clock: clock, seed: seed, storage: storage)
    }

    private static let operations = 1 + LogLimits.operationsBytes / LogLimits.attributeValueBytes

    /// Freezes more bytes than a reader takes, and a delete of what was made in the same batch.
    private func freezeTooMuch(_ one: LogDevice) throws {
        let made = FileID(bits: 7)
        try one.log.freeze([LogFixture.creation("last", file: 7)]) { batch, transaction in
            let base = batch.revision(of: 0)
            var operations = batch.operations
            let attribute = ExtendedAttribute(
                name: "com.apple.a", value: Array(repeating: 1, count: LogLimits.attributeValueBytes))
            let large = Attributes(mode: 0o700, modified: 0, extended: [attribute])
            for _ in 0..<Self.operations { operations.append(.setAttributes(file: made, large)) }
            operations.append(.delete(Deletion(file: made, place: base, contents: [])))
            try transaction.setFrozenBatch(
                EncodedBatch(Batch(device: batch.device, n: batch.n, operations: operations)))
            try transaction.setSynced(
                SyncedItem(
                    file: made, parent: .root, name: "last", place: base, kind: .directory, revision: nil,
                    hash: nil, fingerprint: .none, attributes: Attributes(mode: 0o755, modified: 0)))
        }
    }

    @Test func itIsCutInTheJournalAndGoesAsSeveral() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/sync.sqlite"
        let one = try device(1, storage: SQLiteStorage(path: path))
        try await one.commit("first", file: 1)
        try freezeTooMuch(one)
        let again = try device(1, storage: SQLiteStorage(path: path))
        let frozen = try #require(try again.frozen)
        #expect(frozen.batch.n == 2 && frozen.operations.count <= BatchLimits().bytes + 256)
        let parts = try again.storage.read { try $0.batchesInFlight() }
        #expect(parts.map(\.n) == Array(2...UInt64(parts.count + 1)))
        #expect(parts.map(\.operations.count).reduce(0, +) == Self.operations + 2)
        #expect(try again.journal.nextBatch == UInt64(parts.count) + 2)
        try await again.log.push()
        #expect(try again.frozen == nil)
        let two = try device(2)
        try await two.log.pull()
        // The delete named the place that the first part gave.
        #expect(try two.names == ["first"])
        try await again.commit("next", file: 9)
        try await two.log.pull()
        #expect(try two.names == ["first", "next"])
    }

    @Test func revisionsOfLaterPartsAreNamedByTheirNewNumbers() throws {
        let (file, other) = (FileID(bits: 1), FileID(bits: 2))
        let device = DeviceID(bits: 9)
        let old = Revision(device: device, n: 5, index: 2)
        let batch = Batch(
            device: device, n: 5,
            operations: [
                LogFixture.creation("a", file: 3), LogFixture.creation("b", file: 4),
                LogFixture.creation("c", file: 1),
                .delete(Deletion(file: file, place: old, contents: [old])),
                .move(file: other, parent: .root, name: Draft.parkingName(of: other)),
                .setAttributes(file: file, Attributes(mode: 0, modified: 0)),
                .move(file: other, parent: .root, name: "b"),
            ])
        let parts = batch.parts(BatchLimits(operations: 2, bytes: 1 << 20))
        #expect(parts.batches.map(\.n) == [5, 6, 7])
        // What goes over a name that nobody is shown stays together.
        #expect(parts.batches.map(\.operations.count) == [2, 2, 3])
        let new = Revision(device: device, n: 6, index: 0)
        #expect(parts.replacements[old] == new)
        #expect(parts.batches[1].operations[1] == .delete(Deletion(file: file, place: new, contents: [new])))
    }

    @Test func allMovesOfChunksInOneOperationAreCut() {
        let moves = (0..<100).map {
            Relocation(chunk: ContentHash(of: [UInt8($0)]), locator: .object(UInt64($0)))
        }
        let batch = Batch(device: DeviceID(bits: 1), n: 1, operations: [.relocate(moves)])
        let parts = batch.parts(BatchLimits(operations: 10, bytes: 1_024))
        #expect(parts.batches.count > 2)
        let cut = parts.batches.flatMap(\.operations).flatMap { operation in
            if case .relocate(let moves) = operation { moves } else { [Relocation]() }
        }
        #expect(cut == moves)
    }

    @Test func aCopyOfTheDeviceThatSpokeBetweenThePartsIsFoundOut() async throws {
        let storage = MemoryStorage()
        let one = try device(1, storage: storage)
        try await one.commit("first", file: 1)
        let copy = try device(2, storage: storage.clone())
        try freezeTooMuch(one)
        // The copy says what the second part's number would be.
        try await copy.commit("copy 2", file: 20)
        try await copy.commit("copy 3", file: 30)
        let again = try device(3, storage: storage)
        let old = try again.journal.device
        try await again.log.push()
        #expect(try again.journal.device != old)
        #expect(try again.frozen == nil)
        try await copy.log.pull()
        #expect(try copy.names == ["copy 2", "copy 3", "first"])
        #expect(try again.names == copy.names)
    }

    /// Nothing after the batch in flight was sent by this device, though it has given the number away.
    @Test func anEntryWithTheNumberOfALaterPartIsACopys() throws {
        let device = DeviceID(bits: 1)
        var journal = Journal(device: device)
        journal.nextBatch = 6
        let frozen = EncodedBatch(Batch(device: device, n: 3, operations: []))
        func identity(_ n: UInt64) -> Identity {
            Identity(device, n, ContentHash(of: []), journal, frozen, .all)
        }
        #expect([2, 3, 4, 5, 6].map(identity) == [.foreign, .clone, .clone, .clone, .clone])
    }
}
