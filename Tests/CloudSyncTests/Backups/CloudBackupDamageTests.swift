import CloudStore
import StoreBasics
import Testing

@testable import CloudSync
@testable import SyncContent
@testable import SyncLog

@Suite("Snapshots that are cut short, and snapshots that lie")
final class CloudBackupDamageTests: AccountFixture {
    private lazy var device = CloudBackupFixture(account, clock: clock, random: random)

    init() async throws { try await super.init(seed: 5) }

    /// Every step is a request: a run that ends with any of them, whether it was still done or not.
    @Test("killed at any request, the snapshots that are listed are whole", arguments: [false, true])
    func killed(isDone: Bool) async throws {
        let large = random.bytes(2_500_000)
        let old: [String: CloudBackupFixture.Tree] = [
            "AppDomain-a": [("a", .file(random.bytes(600_000))), ("b", .file(random.bytes(9)))]
        ]
        let new: [String: CloudBackupFixture.Tree] = [
            "AppDomain-a": [("a", .file(large)), ("b", .file(random.bytes(10)))],
            "AppDomain-b": [("c", .file(random.bytes(700)))],
        ]
        let first = try await device.make(old).info
        var step = 0
        while true {
            clock.advance(days: 0.01)
            let (count, last) = (LostOnce(), step)
            store.spoil { _ in
                let number = count.count()
                guard number > last else { return nil }
                return isDone && number == last + 1 ? .lose : .refuse(.unreachable("killed"))
            }
            let made = try? await run(new)
            store.heal()
            for info in try await device.backups.list() where info != first {
                #expect(
                    try await device.contents(of: info) == CloudBackupFixture.contents(new), "step \(step)")
                _ = try await store.delete(info.key)
            }
            #expect(try await device.contents(of: first) == CloudBackupFixture.contents(old))
            if made != nil { break }
            step += 1
        }
        #expect(step > 8)
        #expect(
            try await device.contents(of: device.make(new).info) == CloudBackupFixture.contents(new))
    }

    private func run(_ domains: [String: CloudBackupFixture.Tree]) async throws -> Int {
        let info = try await device.make(domains).info
        return try await device.backups.prune(.newest(2), newest: info)
    }

    @Test("any change of a root or a list is an error or another sound one, never more than is there")
    func mutations() async throws {
        var tree: CloudBackupFixture.Tree = [("d", .directory), ("l", .symlink("x"))]
        for number in 0..<20 { tree.append(("f\(number)", .file(random.bytes(200)))) }
        let info = try await device.make(["AppDomain-a": tree]).info
        let root = try #require(try await store.get(info.key).value).bytes
        let list = try await device.backups.bytes(
            of: device.backups.root(of: info).domains[0].list.chunks
        ).flatMap { $0 }
        for round in 0..<20_000 {
            var bytes = round % 2 == 0 ? root : Array(list.dropFirst(4).prefix(300))
            for _ in 0...random.below(3) { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
            if random.below(4) == 0 { bytes = Array(bytes.prefix(random.below(bytes.count))) }
            if round % 2 == 0 { _ = try? CloudBackupRoot(bytes) } else { _ = try? CloudBackupRecord(bytes) }
        }
    }

    @Test("lists that are cut off, endless or none are refused in one line", arguments: 0..<5)
    func hostileLists(kind: Int) async throws {
        let record = CloudBackupRecord(.init(path: "a", mode: 0o040755, modified: 0), .directory).framed()
        let bytes: [UInt8] =
            switch kind {
            case 0: Array(record.dropLast())
            case 1: [0x7f, 0xff, 0xff, 0xff] + record
            case 2: [0, 0, 0, 0]
            case 3: record + [0, 0, 0, 1, 0xff]
            default: [0, 0, 0, 9] + [0x98, 8, 1, 0x9b, 255, 255, 255, 255, 255]
            }
        let plan = try await device.writer.plan(ContentFixture.cut([bytes], account), known: [:])
        _ = try await device.writer.send(plan, from: ContentFixture.Files([bytes]))
        let domain = CloudBackupDomain(
            name: "AppDomain-a", version: nil, time: clock.storeTime, items: 1, files: 0, bytes: 0,
            list: HeldContent(
                hash: ContentHash(of: bytes), sizeBytes: UInt64(bytes.count),
                chunks: plan.contents[0].chunks.map { HeldChunk(chunk: $0, since: clock.storeTime) }))
        do {
            _ = try await device.records(of: domain)
            Issue.record("kind \(kind) was read")
        } catch let error as CloudBackupError {
            #expect(!"\(error)".contains("\n"))
        }
    }

    @Test("a root says neither more chunks nor larger ones than a list can have")
    func hostileRoots() async throws {
        func domain(_ chunkBytes: UInt32, claims size: UInt64) -> CloudBackupDomain {
            let chunk = Chunk(hash: ContentHash(of: []), sizeBytes: chunkBytes, locator: .object(1))
            return CloudBackupDomain(
                name: "AppDomain-a", version: nil, time: clock.storeTime, items: .max, files: .max,
                bytes: .max,
                list: HeldContent(
                    hash: ContentHash(of: []), sizeBytes: size,
                    chunks: [HeldChunk(chunk: chunk, since: clock.storeTime)]))
        }
        func root(_ domains: [CloudBackupDomain]) -> [UInt8] {
            CloudBackupRoot(deviceName: "x", base: nil, ownBytes: .max, droppedBytes: .max, domains: domains)
                .encoded()
        }
        #expect(throws: Never.self) { try CloudBackupRoot(root([domain(100, claims: 100)])) }
        #expect(throws: CodingError.self) { try CloudBackupRoot(root([domain(100, claims: 101)])) }
        #expect(throws: CodingError.self) {
            try CloudBackupRoot(root([domain(300 << 10, claims: 300 << 10)]))
        }
        let two = [domain(100, claims: 100), domain(100, claims: 100)]
        #expect(throws: CodingError.self) { try CloudBackupRoot(root(two)) }
        // Sums of what two such say are over every quota, and no trap.
        for name in [1, 2] as [UInt128] {
            let info = CloudBackupInfo(
                account.layout, device: DeviceID(bits: name), time: StoreTime(seconds: 7))
            _ = try await store.put(root([]), at: info.key)
        }
        #expect(try await AccountUsage.read(account).total() == .max)
    }
}
