import CloudSync
import Foundation
import Testing

@testable import SyncContent
@testable import SyncLog

/// Random histories of devices that share a log (SYNC.md 7.1): changes in any order, rounds in any order,
/// deaths at any step of applying. At the end all are equal, and what was not told when they came to rest is
/// there.
struct PlannerHistoryTests {
    @Test(arguments: 0..<300)
    func devicesComeToRestEqualAndLoseNothing(seed: UInt64) async throws {
        var history = try PlannerHistory(seed: seed)
        try await history.run(steps: 60)
        try await history.finish()
    }

    /// Replays one, with all that happens.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["PLANNER_SEED"] != nil))
    func oneOfThemIsTold() async throws {
        let settings = ProcessInfo.processInfo.environment
        var history = try PlannerHistory(seed: UInt64(settings["PLANNER_SEED"] ?? "") ?? 0)
        for device in history.devices { device.trace = { print($0) } }
        try await history.run(steps: Int(settings["PLANNER_STEPS"] ?? "") ?? 60)
        for device in history.devices { print("\(device.id.bits):", device.disk.contents) }
        try await history.finish()
        for device in history.devices { print("\(device.id.bits):", device.disk.contents) }
    }

    @Test func historiesOfManyStepsDoToo() async throws {
        for seed in 1000..<1010 as Range<UInt64> {
            var history = try PlannerHistory(seed: seed)
            try await history.run(steps: 600)
            try await history.finish()
        }
    }
}

struct PlannerHistory {
    static let names = ["a", "b", "c", "d"]

    let seed: UInt64
    let random: TestRandomness
    let cloud = TestCloud()
    var devices: [TestDevice] = []
    var token = 0
    var lost: [String] = []

    init(
        seed: UInt64, rules: SafetyRules = .all,
        storage: (Int) throws -> any SyncStorage = { _ in MemoryStorage() }
    ) throws {
        self.seed = seed
        random = TestRandomness(seed &* 77 &+ 5)
        devices = try (1...3).map { try TestDevice(UInt64($0), cloud, rules: rules, storage: storage($0)) }
        for device in devices { device.isConfirmed = true }
    }

    mutating func run(steps: Int) async throws {
        for _ in 0..<steps {
            let device = devices[below(devices.count)]
            if below(10) < 6 {
                act(device)
            } else {
                try await sync(device)
            }
        }
    }

    // MARK: What happens

    private mutating func act(_ device: TestDevice) {
        let disk = device.disk
        let path = path()
        let other = self.path()
        let choice = below(12)
        device.trace("act \(choice) on \(device.id.bits): \(path.text) \(other.text)")
        switch choice {
        case 0...2: disk.write(text(device), to: path)
        case 3: disk.save(text(device), to: path)
        case 4, 5: disk.makeDirectory(path)
        case 6, 7:
            guard let inode = disk.find(path), !isBelow(other, path), path != other else { return }
            let target = disk.find(other)
            if let target, target.isDirectory || inode.isDirectory { return }
            disk.rename(path, to: other)
        case 8:
            guard disk.find(path) != nil, disk.find(other) != nil, !isBelow(other, path),
                !isBelow(path, other)
            else { return }
            disk.exchange(path, other)
        case 9: disk.delete(path)
        case 10: if disk.find(path) == nil { disk.link("t\(below(3))", at: path) }
        default: disk.setMode(below(2) == 0 ? 0o600 : 0o700, path)
        }
    }

    private func sync(_ device: TestDevice) async throws {
        do {
            let choice = below(6)
            device.trace("sync \(choice) on \(device.id.bits)")
            switch choice {
            case 0: try device.pull()
            case 1: try device.up()
            case 2:
                try device.pull()
                try await device.down()
            case 3:
                try device.pull()
                if below(2) == 0 {
                    device.disk.crashAt = device.disk.steps + below(8)
                } else {
                    device.storage.crashAt = device.storage.writes + below(8)
                }
                try await device.down()
                (device.disk.crashAt, device.storage.crashAt) = (nil, nil)
            default: try await device.round()
            }
        } catch LocalError.ended {
            device.trace("died")
            try device.restart()
        }
    }

    // MARK: The end

    mutating func finish() async throws {
        var untold: Set<String> = []
        for device in devices {
            for draft in try device.planUp().drafts where draft.source == .file {
                let bytes = device.disk.find(draft.path)?.bytes ?? []
                if case .edit(_, let known, _) = draft.kind, known == ContentHash(of: bytes) { continue }
                untold.insert(String(decoding: bytes, as: UTF8.self))
            }
        }
        let rounds = try await convergeAll(devices, rounds: 200)
        #expect(rounds < 200, "seed \(seed) does not come to rest")
        for device in devices {
            #expect(
                device.disk.contents == devices[0].disk.contents, "seed \(seed), device \(device.id.bits)")
            #expect(device.disk.staging.isEmpty, "seed \(seed)")
            #expect(try device.storage.read { try $0.intentions() }.isEmpty)
        }
        let tree = try devices[0].storage.read { try contents(of: $0) }
        #expect(tree.paths == devices[0].disk.contents, "seed \(seed)")
        #expect(untold.subtracting(tree.all).subtracting(superseded).isEmpty, "seed \(seed) lost")
    }

    /// Contents on which somebody who saw them made an edit.
    private var superseded: Set<String> {
        var texts: [Revision: String] = [:]
        var bases: [Revision] = []
        for batch in cloud.log.map(\.batch) {
            for (index, operation) in batch.operations.enumerated() {
                switch operation {
                case .create(let creation): texts[batch.revision(of: index)] = text(creation.content)
                case .edit(let edit):
                    texts[batch.revision(of: index)] = text(edit.content)
                    bases.append(edit.base)
                default: break
                }
            }
        }
        return Set(bases.compactMap { texts[$0] })
    }

    private func text(_ content: Content) -> String {
        switch content {
        case .file(let file): String(decoding: cloud.contents[file.hash] ?? [], as: UTF8.self)
        case .symlink(let target): "->" + String(decoding: target, as: UTF8.self)
        case .directory: "/"
        }
    }

    /// What the tree shows, and all contents that are in it.
    private func contents(
        of transaction: any SyncTransaction
    ) throws -> (paths: [String: String], all: Set<String>) {
        var paths: [String: String] = [:]
        var all: Set<String> = []
        for node in try transaction.nodes(after: nil, limit: .max) {
            guard let path = try transaction.path(of: node.id) else { continue }
            for (index, version) in node.contents.enumerated() {
                let text = text(version.content)
                all.insert(text)
                if index == 0 { paths[path.joined(separator: "/")] = text }
            }
            if node.isDirectory { paths[path.joined(separator: "/")] = "/" }
        }
        return (paths, all)
    }

    // MARK: Chance

    private func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }

    private func path() -> LocalPath {
        LocalPath((0..<(1 + below(3))).map { _ in Self.names[below(Self.names.count)] })
    }

    private func isBelow(_ path: LocalPath, _ ancestor: LocalPath) -> Bool {
        path.names.starts(with: ancestor.names)
    }

    private mutating func text(_ device: TestDevice) -> String {
        token += 1
        return "\(device.id.bits).\(token)"
    }
}
