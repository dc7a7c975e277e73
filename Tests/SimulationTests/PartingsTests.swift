import CloudStore
import StoreBasics
import Testing

@testable import CloudSync
@testable import SyncLog
@testable import simulate

/// Two documents with one content, told by one device, have become one item.
struct PartingsTests {
    let storage = MemoryStorage()
    let device = DeviceID(bits: 1)
    let hash = ContentHash(of: [1])
    let attributes = Attributes(mode: 0o644, modified: 1)
    let file = FileID(bits: 11)
    let other = FileID(bits: 12)

    /// What lies under the other name is not in the item any more, nor told.
    @Test func anEditUnderOneNameAnswersNotForTheOther() throws {
        #expect(try !isAnswered(by: edit, .oneName))
    }

    /// Sync had taken the other, as it does when two become one: the person saw one document.
    @Test func anEditUnderTheLastNameAnswersForAll() throws {
        #expect(try isAnswered(by: edit, .allNames))
    }

    @Test func aDeleteUnderOneNameAnswersNotForTheOther() throws {
        #expect(try !isAnswered(by: delete, .oneName))
    }

    @Test func aDeleteUnderTheLastNameAnswersForAll() throws {
        #expect(try isAnswered(by: delete, .allNames))
    }

    private func isAnswered(
        by say: (Node) -> SyncLog.Operation, _ names: Ledger.Parting
    ) throws -> Bool {
        var partings = Partings()
        let creates = [file, other].map { create($0) }
        let first = Batch(device: device, n: 1, operations: creates)
        try storage.read { try partings.note(first, in: $0) { _ in .none } }
        try storage.write { transaction in
            let commit = Commit(
                sequence: 1, previous: ContentHash(high: 0, low: 0), time: StoreTime(seconds: 1),
                batch: first, batchHash: hash)
            _ = try TreeState(transaction).apply(commit, entryHash: hash)
        }
        let node = try #require(try storage.read { try $0.item(other) })
        try #require(node.id == file && node.contents.map(\.revisions.count) == [2])
        let next = Batch(device: device, n: 2, operations: [say(node)])
        try storage.read { try partings.note(next, in: $0) { $0 == hash ? names : .none } }
        return partings.isAnswered(hash)
    }

    private func content(_ hash: ContentHash) -> Content {
        .file(FileContent(hash: hash, sizeBytes: 0, chunks: []))
    }

    private func create(_ file: FileID) -> SyncLog.Operation {
        .create(
            Creation(
                file: file, parent: .root, name: "a", content: content(hash), attributes: attributes))
    }

    private func edit(_ node: Node) -> SyncLog.Operation {
        .edit(
            Edit(
                file: other, base: Revision(device: device, n: 1, index: 1),
                content: content(ContentHash(of: [2])), attributes: attributes, parent: .root, name: "a"))
    }

    private func delete(_ node: Node) -> SyncLog.Operation {
        .delete(Deletion(file: other, place: node.place, contents: node.contents.flatMap(\.revisions)))
    }
}
