import CloudSync
import TestKit

@testable import SyncLog

/// A device of the model: a replica of the tree, what lies on its disk, and one batch in flight.
struct ModelDevice {
    /// What this disk holds of an item: the revision of its bytes, and the place that was seen.
    struct Synced {
        var place: Revision
        /// Nil for a directory.
        var revision: Revision?
    }

    struct Pending {
        var batch: Batch
        /// Directories that its deletes are known to be about, aliases included.
        var seenDirectories: [FileID]
    }

    let id: DeviceID
    let replica = MemoryStorage()
    var pending: Pending?
    private var n: UInt64 = 0
    private var made: UInt64 = 0
    /// In ascending order of ids wherever one is picked, so that a seed is a history.
    private var synced: [FileID: Synced] = [:]

    init(_ id: DeviceID) {
        self.id = id
    }

    /// Bytes arrive: some of what the replica shows is on this disk now, and what it lost is not.
    mutating func download(_ random: inout SeededRandom) throws {
        let nodes = try replica.read { try $0.nodes(after: nil, limit: .max) }
        let live = Dictionary(uniqueKeysWithValues: nodes.filter(\.isLive).map { ($0.id, $0) })
        synced = synced.filter { live[$0.key] != nil }
        for node in nodes where node.isLive && random.chance(80) {
            synced[node.id] = Synced(place: node.place, revision: node.current?.revisions.first)
        }
    }

    /// Freezes a batch of some operations on what this device sees.
    mutating func act(
        shape: ReplayModel.Shape, rules: SafetyRules, _ random: inout SeededRandom
    ) throws {
        n += 1
        var batch = Batch(device: id, n: n, operations: [])
        var seen: [FileID] = []
        for _ in 0...random.below(3) {
            let view = replica.clone()
            try view.speculate(batch, rules: rules)
            try view.read { tree in
                var author = ModelAuthor(tree: tree, shape: shape, files: Array(synced.keys).sorted())
                let next = batch.revision(of: batch.operations.count)
                let written = try author.write(next, device: self, &random)
                for operation in written {
                    note(operation, batch.revision(of: batch.operations.count))
                    batch.operations.append(operation)
                }
                seen += author.seenDirectories
            }
        }
        if !batch.operations.isEmpty { pending = Pending(batch: batch, seenDirectories: seen) }
    }

    func synced(_ file: FileID) -> Synced? { synced[file] }

    /// What its own operation does to this disk, at once.
    private mutating func note(_ operation: Operation, _ revision: Revision) {
        switch operation {
        case .create(let creation):
            let content = creation.content == .directory ? nil : revision
            synced[creation.file] = Synced(place: revision, revision: content)
        case .edit(let edit): synced[edit.file]?.revision = revision
        case .move(let file, _, _): synced[file]?.place = revision
        case .delete(let deletion): synced[deletion.file] = nil
        case .withdraw(let file, _): synced[file] = nil
        case .resolve, .setAttributes, .relocate, .endHistory, .require, .account, .keyValue, .unknown: break
        }
    }
}
