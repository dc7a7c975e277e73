import CloudStore
import CloudSync
import SyncChecks
import TestKit

@testable import SyncLog

/// Devices that act on what they have seen, and one log that puts their batches in an order none of them
/// chose. Seeded: the same seed is the same history. Disks, stores and crashes are the whole simulation's.
struct ReplayModel {
    /// How a history is made.
    struct Shape {
        var devices = 2...4
        var steps = 40
        var names = ["a", "b", "\u{e9}", "e\u{301}"]
        /// So few that equal contents are made now and then.
        var contents = 12
        /// In a hundred steps.
        var twinChance: UInt64 = 6
        var jumpChance: UInt64 = 4
        var directoryChance: UInt64 = 35
        /// How often each kind of operation is chosen, of their sum.
        var weights: [ModelAuthor.Choice: Int] = [
            .create: 5, .edit: 4, .move: 3, .delete: 3, .withdraw: 1, .resolve: 2, .relocate: 1,
            .setAttributes: 1,
        ]

        /// Nearly only directories, moved into each other.
        static var directories: Shape {
            var shape = Shape()
            shape.names = ["a", "b"]
            shape.directoryChance = 90
            shape.weights = [.create: 6, .edit: 1, .move: 8, .delete: 4, .withdraw: 2]
            return shape
        }

        /// Few contents that many files have had, and whose retention a person ends.
        static var endings: Shape {
            var shape = Shape()
            shape.contents = 4
            shape.directoryChance = 5
            shape.weights = [.create: 6, .edit: 5, .delete: 5, .withdraw: 1, .endHistory: 3]
            return shape
        }

        /// A few files that become one, and are given each other's contents.
        static var exchanges: Shape {
            var shape = Shape()
            shape.names = ["a", "b", "c"]
            shape.contents = 3
            shape.directoryChance = 0
            shape.weights = [.create: 2, .edit: 6, .move: 3]
            return shape
        }
    }

    let rules: SafetyRules
    let shape: Shape
    private(set) var log = ModelLog()
    private(set) var ledger = ReplayLedger()
    private(set) var operationCount = 0
    /// Sees each commit at once, and is looked at after each.
    let witness = MemoryStorage()
    private var findings: [String] = []
    private var devices: [ModelDevice]
    private var random: SeededRandom

    init(seed: UInt64, shape: Shape = Shape(), rules: SafetyRules = .all) {
        self.shape = shape
        self.rules = rules
        random = SeededRandom(seed: seed)
        let count = shape.devices.lowerBound + random.below(shape.devices.count)
        devices = (0..<count).map { ModelDevice(DeviceID(bits: UInt128($0 + 1))) }
    }

    /// Runs the history, lets everybody see all of it, and says what does not hold.
    mutating func run() throws -> [String] {
        for _ in 0..<shape.steps where findings.isEmpty { try step() }
        for index in devices.indices { try commit(index) }
        for device in devices { try device.replica.pull(log, rules: rules) }
        try compare()
        findings += try witness.read { try ledger.findings(in: $0) }
        return findings
    }

    private mutating func step() throws {
        let index = random.below(devices.count)
        log.time += Int64(random.below(3600))
        if random.chance(shape.jumpChance) { log.time += Int64(random.below(200)) * 86_400 }
        if random.chance(shape.twinChance), let entry = random.pick(log.entries) {
            try append(entry.commit.batch, seen: [])
        }
        switch random.below(10) {
        case 0..<4: try act(index)
        case 4..<7: try commit(index)
        case 7: try devices[index].replica.pull(log, rules: rules, limit: 1 + random.below(3))
        default: try devices[index].download(&random)
        }
    }

    private mutating func act(_ index: Int) throws {
        if devices[index].pending != nil { try commit(index) }
        try devices[index].act(shape: shape, rules: rules, &random)
    }

    private mutating func commit(_ index: Int) throws {
        guard let pending = devices[index].pending else { return }
        try append(pending.batch, seen: pending.seenDirectories)
        devices[index].pending = nil
        try devices[index].replica.pull(log, rules: rules)
    }

    private mutating func append(_ batch: Batch, seen: [FileID]) throws {
        log.append(batch)
        ledger.note(batch, seenDirectories: seen)
        operationCount += batch.operations.count
        ledger.note(merged: try witness.pull(log, rules: rules).merged)
        if findings.isEmpty { findings = try witness.read { try TreeInvariants.findings(in: $0) } }
    }

    private mutating func compare() throws {
        let hash = try witness.read { try $0.treeHash() }
        for device in devices where try device.replica.read({ try $0.treeHash() }) != hash {
            findings.append("trees differ")
        }
    }
}
