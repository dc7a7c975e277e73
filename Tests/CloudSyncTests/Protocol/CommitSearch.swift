import CloudStore
import TestKit

@testable import CloudSync
@testable import SyncLog

/// All that can happen to a few devices that say a few operations each: every order of their requests, and
/// every fault at every one of them (SYNC.md 7.4). What goes on alike is looked at once.
struct CommitSearch {
    let operations: [Int]
    let faults: Int
    let keepsWhatIsThere: Bool
    /// A path longer than this does not come to rest.
    var longest = 400

    private(set) var states = 0
    private(set) var ends = 0
    private var seen: Set<[UInt64]> = []

    init(_ operations: [Int], faults: Int, keepsWhatIsThere: Bool = true) {
        self.operations = operations
        self.faults = faults
        self.keepsWhatIsThere = keepsWhatIsThere
    }

    /// - Returns: what does not hold, and the way to it; nothing where all is well.
    mutating func run() async throws -> [String] {
        var left: [[SearchChoice]] = [[]]
        while let path = left.popLast() {
            let found = try await follow(path, &left)
            if !found.isEmpty { return found }
        }
        return []
    }

    /// Goes one way from the beginning, and on as long as there is something new; what else could have
    /// happened on that is left for later.
    private mutating func follow(_ start: [SearchChoice], _ left: inout [[SearchChoice]]) async throws
        -> [String]
    {
        let world = SearchWorld(operations, faults: faults, keepsWhatIsThere: keepsWhatIsThere)
        defer { world.end() }
        var path = start
        for choice in start { world.choose(choice) }
        while seen.insert(world.key).inserted {
            states += 1
            if world.isOver {
                ends += 1
                let findings = try await findings(in: world)
                if !findings.isEmpty { return findings + path.map { "\($0)" } }
            }
            let choices = world.choices
            guard let next = choices.last else { break }
            if path.count > longest { return ["no rest"] + path.map { "\($0)" } }
            for other in choices.dropLast() { left.append(path + [other]) }
            path.append(next)
            world.choose(next)
        }
        return []
    }

    /// Every device reads to the end: each shows what all said, once, and nothing else.
    private func findings(in world: SearchWorld) async throws -> [String] {
        let store = MemoryStore { [date = world.date] in date }
        for (key, object) in world.objects { _ = try await store.putIfAbsent(object.bytes, at: key) }
        var hashes: Set<ContentHash> = []
        for device in world.devices {
            let storage = device.storage.clone()
            var log = device.client(store)
            log = LogClient(
                name: log.name, app: log.app, account: log.account, storage: storage,
                surroundings: log.surroundings)
            try await log.pull()
            hashes.insert(try storage.read { try $0.treeHash() })
            for other in world.devices {
                let node = try storage.read { try $0.node(other.last.file) }
                guard let node, node.contents.count == 1, case .file(let file)? = node.current?.content,
                    file.hash == other.last.hash
                else {
                    return ["device \(device.index) shows \(node.map { "\($0.contents)" } ?? "nothing")"]
                }
            }
        }
        return hashes.count == 1 ? [] : ["trees differ"]
    }
}
