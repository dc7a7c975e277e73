import CloudSync
import SyncChecks
import TestKit

@testable import SyncLog

/// All histories of two devices that say a few operations each: every order in the log, every moment at which
/// each device may have looked, every operation that makes sense of what it saw.
struct ReplaySearch {
    /// Where it begins and which operations there are.
    struct Scene: Sendable {
        var name: String
        var first: [Operation]
        var names = ["a", "b"]
        var choices: Set<ModelAuthor.Choice> = [.create, .edit, .move, .delete, .resolve]
        var makesFiles = true
        var makesDirectories = false
        /// Whether contents are all equal, or all different.
        var contentsAreEqual = false
    }

    private struct Device {
        let id: DeviceID
        var left: Int
        /// How much of the log it had seen when it last did something.
        var seen = 0
        var n: UInt64 = 0
        /// The slots that are its own.
        var own: [Int] = []
    }

    private struct Position {
        var log = ModelLog()
        /// The tree after so many entries.
        var trees = [MemoryStorage()]
        var ledger = ReplayLedger()
        var devices: [Device]
    }

    let scene: Scene
    let rules: SafetyRules
    /// One branch in so many is followed; 1: all of them.
    let stride: UInt64
    private var random: SeededRandom
    private(set) var histories = 0
    private(set) var applications = 0

    init(_ scene: Scene, rules: SafetyRules = .all, stride: UInt64 = 1, seed: UInt64 = 1) {
        self.scene = scene
        self.rules = rules
        self.stride = stride
        random = SeededRandom(seed: seed)
    }

    /// - Parameter operations: how many each device says.
    /// - Returns: what does not hold in the first history where something does not.
    mutating func run(_ operations: [Int]) throws -> [String] {
        let devices = operations.enumerated().map {
            Device(id: DeviceID(bits: UInt128($0.offset + 1)), left: $0.element)
        }
        var start = Position(devices: devices)
        let batch = Batch(device: DeviceID(bits: 99), n: 1, operations: scene.first)
        let findings = try append(batch, [], to: &start)
        for index in start.devices.indices { start.devices[index].seen = 1 }
        return try findings.isEmpty ? descend(start) : findings
    }

    private mutating func descend(_ position: Position) throws -> [String] {
        guard position.devices.contains(where: { $0.left > 0 }) else { return try end(position) }
        for (index, device) in position.devices.enumerated() where device.left > 0 {
            for seen in device.seen...position.log.entries.count where !device.own.contains(seen) {
                for choice in try choices(of: device, seen: seen, in: position) {
                    if stride > 1, random.next() % stride != 0 { continue }
                    var next = position
                    next.devices[index].left -= 1
                    next.devices[index].seen = seen
                    next.devices[index].n += 1
                    next.devices[index].own.append(position.log.entries.count)
                    let batch = Batch(device: device.id, n: device.n + 1, operations: [choice.operation])
                    var findings = try append(batch, choice.seenDirectories, to: &next)
                    if findings.isEmpty { findings = try descend(next) }
                    if !findings.isEmpty { return findings }
                }
            }
        }
        return []
    }

    private mutating func append(
        _ batch: Batch, _ seen: [FileID], to position: inout Position
    ) throws -> [String] {
        position.log.append(batch)
        position.ledger.note(batch, seenDirectories: seen)
        guard let tree = position.trees.last?.clone() else { return [] }
        applications += 1
        position.ledger.note(merged: try tree.pull(position.log, rules: rules).merged)
        position.trees.append(tree)
        return try tree.read { try TreeInvariants.findings(in: $0) }
    }

    /// The whole log is there: nothing promised is missing, and a late twin of any batch changes nothing.
    private mutating func end(_ position: Position) throws -> [String] {
        histories += 1
        guard let tree = position.trees.last else { return [] }
        var findings = try tree.read { try position.ledger.findings(in: $0) }
        let sum = try tree.read { try $0.recordSum() }
        for entry in position.log.entries where histories % 16 == 0 {
            let twin = tree.clone()
            try twin.speculate(entry.commit.batch, rules: rules)
            if try twin.read({ try $0.recordSum() }) != sum { findings.append("a late twin took effect") }
        }
        return findings.map { "\($0) \(position.log.entries.map(\.commit.batch))" }
    }

    /// What a device can say that has seen so much of the log, and beyond that only what it said itself.
    private func choices(
        of device: Device, seen: Int, in position: Position
    ) throws -> [SearchChoices.Choice] {
        let view = position.trees[seen].clone()
        for slot in device.own where slot >= seen {
            // Only the log merges: until a device has seen it, it says nothing of what came of the merge.
            let change = try view.speculate(position.log.entries[slot].commit.batch, rules: rules)
            if !change.merged.isEmpty { return [] }
        }
        return try view.read { tree in
            try SearchChoices(
                tree: tree, scene: scene, made: UInt128(position.log.entries.count), device: device.id
            ).all()
        }
    }
}
