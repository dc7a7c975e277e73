import CloudStore
import StoreBasics
import Testing

@testable import CloudSync
@testable import SyncContent
@testable import SyncLog

@Suite("Snapshots of backups in the store")
final class CloudBackupTests: AccountFixture {
    private lazy var device = CloudBackupFixture(account, clock: clock, random: random)

    init() async throws { try await super.init(seed: 91) }

    private func tree() -> CloudBackupFixture.Tree {
        var tree: CloudBackupFixture.Tree = [
            ("", .directory), ("Documents", .directory), ("Documents/large", .file(random.bytes(8_000_000))),
            ("Documents/link", .symlink("large")), ("Documents/empty", .file([])),
        ]
        for number in 0..<500 { tree.append(("Documents/\(number)", .file(random.bytes(3_000)))) }
        return tree
    }

    @Test("what a snapshot was made of comes back")
    func roundTrip() async throws {
        let domains = ["AppDomain-a": tree(), "AppDomain-b": tree()]
        let made = try await device.make(domains)
        #expect(try await device.contents(of: made.info) == CloudBackupFixture.contents(domains))
        #expect(try await device.backups.list() == [made.info])
        let root = try await device.backups.root(of: made.info)
        #expect(root.domains.map(\.files) == [502, 502] && root.domains[0].version == "1.0")
        let file = try await device.records(of: root.domains[0]).first { $0.facts.path == "Documents/0" }
        #expect(file?.facts.attributes == [ExtendedAttribute(name: "com.apple.note", value: [1, 2])])
    }

    @Test("an unchanged second snapshot sends its root and nothing else; a changed file costs little more")
    func unchanged() async throws {
        var tree = tree()
        try await device.make(["AppDomain-a": tree])
        clock.advance(days: 1)
        store.forget()
        let again = try await device.make(["AppDomain-a": tree])
        #expect(store.puts == 1 && store.putBytes < 4_000)
        #expect(again.report.unchangedFiles == 502 && again.report.sentBytes == 0)
        tree[9].item = .file(random.bytes(3_000))
        clock.advance(days: 1)
        store.forget()
        let changed = try await device.make(["AppDomain-a": tree])
        #expect(store.putBytes < 300_000)
        let found = try await device.contents(of: changed.info)
        #expect(found == CloudBackupFixture.contents(["AppDomain-a": tree]))
    }

    @Test("what synced documents have is not sent again, young or long there", arguments: [0, 1.0, 8, 40])
    func documents(days: Double) async throws {
        let files = [random.bytes(5_000_000), random.bytes(100)]
        try await log.create(files)
        clock.advance(days: days)
        device.containers = [log.container: log.storage]
        let made = try await device.make([
            "AppDomain-a": [("Documents/a", .file(files[0])), ("Documents/b", .file(files[1]))]
        ])
        #expect(made.report.sentBytes < 2_000)
        #expect(try await device.backups.root(of: made.info).ownBytes < 2_000)
    }

    @Test("what a collector that runs could be about to take is sent anew")
    func doubtful() async throws {
        // Older than G/2, and referred to for less than G.
        let bytes = random.bytes(1_000_000)
        try await log.create([bytes])
        clock.advance(days: 5)
        device.containers = [log.container: log.storage]
        let made = try await device.make(["AppDomain-a": [("Documents/a", .file(bytes))]])
        #expect(made.report.sentBytes > 1_000_000)
    }

    @Test("a tree that the log has left behind is not believed for as long as history may be kept")
    func behind() async throws {
        let bytes = random.bytes(1_000_000)
        try await log.create([bytes])
        clock.advance(days: 10)
        try await log.create([random.bytes(100)])
        let old = log.storage.clone()
        try await log.delete(1)
        device.containers = [log.container: old]
        clock.advance(days: 3)
        let near = try await device.make(["AppDomain-a": [("Documents/a", .file(bytes))]])
        #expect(near.report.sentBytes < 2_000)
        clock.advance(days: 1)
        device.device = DeviceID(bits: 0xd2)
        let late = try await device.make(["AppDomain-a": [("Documents/a", .file(bytes))]])
        #expect(late.report.sentBytes > 1_000_000)
    }

    @Test("a snapshot of some apps has the others as the one before it, with their time")
    func someApps() async throws {
        let (a, b) = (tree(), tree())
        let first = try await device.make(["AppDomain-a": a, "AppDomain-b": b])
        clock.advance(days: 5)
        let next: CloudBackupFixture.Tree = [("Documents/new", .file([1, 2, 3]))]
        let second = try await device.make(["AppDomain-b": next], takingOver: true)
        let found = try await device.contents(of: second.info)
        #expect(found == CloudBackupFixture.contents(["AppDomain-a": a, "AppDomain-b": next]))
        let root = try await device.backups.root(of: second.info)
        #expect(root.domains.first { $0.name == "AppDomain-a" }?.time == first.info.time)
    }

    @Test(
        "where the snapshot before goes meanwhile, or what was sent is old at the end, there is no snapshot")
    func expired() async throws {
        let domains = ["AppDomain-a": tree()]
        let (first, clock, store) = (try await device.make(domains).info, clock, store)
        self.clock.advance(days: 1)
        await #expect(throws: CloudBackupError.expired) {
            try await device.make(domains) { _ = try await store.delete(first.key) }
        }
        #expect(try await device.backups.list().isEmpty)
        await #expect(throws: CloudBackupError.expired) {
            try await device.make(domains) { clock.advance(days: 5) }
        }
        #expect(try await device.backups.list().isEmpty)
        // All that it needs is looked at once more, and still young.
        let made = try await device.make(domains) { clock.advance(days: 2) }
        #expect(try await device.contents(of: made.info) == CloudBackupFixture.contents(domains))
    }

    @Test("a document whose bytes are in the store alone is kept by what the log says of it")
    func dataless() async throws {
        let bytes = random.bytes(1_000_000)
        let content = try await log.create([bytes]).1.contents[0]
        clock.advance(days: 1)
        let (index, upload) = (try SQLiteBackupIndex(), device.upload)
        let start = try await upload.begin(index, containers: [log.container: log.storage])
        let writer = CloudBackupWriter(account, start, index, deviceName: "one", roomBytes: .max)
        writer.begin(domain: "AppDomain-a", version: nil)
        let facts = CloudBackupRecord.Facts(path: "Documents/a", mode: 0o100644, modified: 0)
        store.forget()
        #expect(try writer.add(stored: writer.record(facts, referringTo: content)).isEmpty)
        try writer.endDomain()
        while let batch = try writer.nextBatch() { try writer.accept(try await upload.send(batch)) }
        let info = try await upload.publish(writer.root(), start, index)
        #expect(store.gets == 0)
        #expect(try await device.contents(of: info) == ["AppDomain-a/Documents/a": bytes])
    }

    /// How often something has to be sent before more may come.
    private func batches(of tree: CloudBackupFixture.Tree) async throws -> Int {
        let (index, upload) = (try SQLiteBackupIndex(), device.upload)
        let start = try await upload.begin(index, containers: [:])
        let writer = CloudBackupWriter(account, start, index, deviceName: "one", roomBytes: .max)
        writer.begin(domain: "AppDomain-a", version: nil)
        var batches = 0
        for (path, item) in tree {
            let facts = CloudBackupRecord.Facts(path: path, mode: 0o040755, modified: 0)
            if case .file(let bytes) = item {
                try writer.append(bytes)
                try writer.endFile(facts)
            } else {
                try writer.addDirectory(facts)
            }
            while writer.isFull, let batch = try writer.nextBatch() {
                try writer.accept(try await upload.send(batch))
                batches += 1
            }
        }
        return batches
    }

    @Test("what waits for chunks to be sent is bounded by the memory that it takes")
    func waiting() async throws {
        let small: CloudBackupFixture.Tree = (0..<20_000).map { number in
            ("Documents/\(number)", .file(withUnsafeBytes(of: number, Array.init)))
        }
        #expect(try await batches(of: small) == 1)
        // What needs no chunks waits behind one that does, and no longer than that.
        let directories: CloudBackupFixture.Tree = (0..<40_000).map { ("Documents/\($0)", .directory) }
        #expect(try await batches(of: [("Documents/new", .file([1]))] + directories) == 1)
    }

    @Test("over the quota nothing is made")
    func quota() async throws {
        device.roomBytes = 5_000_000
        let domains = ["AppDomain-a": tree()]
        await #expect(throws: CloudBackupError.self) { try await device.make(domains) }
        #expect(try await device.backups.list().isEmpty)
        // Batches that have room each, and not together.
        device.roomBytes = 20_000_000
        let large: CloudBackupFixture.Tree = (0..<3).map {
            ("Documents/\($0)", .file(random.bytes(8_000_000)))
        }
        await #expect(throws: CloudBackupError.self) { try await device.make(["AppDomain-a": large]) }
        #expect(try await device.backups.list().isEmpty)
        device.roomBytes = 40_000_000
        let first = try await device.make(domains)
        let used = try await AccountUsage.read(account).total()
        #expect(used > 9_000_000 && used < 10_000_000)
        clock.advance(days: 1)
        try await device.make(["AppDomain-a": [("Documents/b", .file(random.bytes(1_000_000)))]])
        let both = try await AccountUsage.read(account).total()
        #expect(both > used + 1_000_000 && both < used + 1_100_000)
        let kept = try await device.backups.list()
        #expect(try await device.backups.prune(.newest(1), newest: kept[1]) == 1)
        #expect(try await AccountUsage.read(account).total() < 1_100_000)
        #expect(kept[0] == first.info)
    }

    @Test("the newest stays, however few or young are kept")
    func keeping() {
        let layout = account.layout
        let made = (1...5).map { day in
            CloudBackupInfo(layout, device: device.device, time: StoreTime(seconds: 86_400 * Int64(day)))
        }
        let now = StoreTime(seconds: 86_400 * 5)
        #expect(KeptBackups.newest(2).gone(of: made, at: now) == Array(made[..<3]))
        #expect(KeptBackups.newest(0).gone(of: made, at: now) == Array(made[..<4]))
        #expect(KeptBackups.newest(9).gone(of: made, at: now).isEmpty)
        #expect(KeptBackups.younger(2 * 86_400).gone(of: made, at: now) == Array(made[..<2]))
        #expect(KeptBackups.younger(0).gone(of: made, at: now) == Array(made[..<4]))
    }
}
