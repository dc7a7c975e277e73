import CloudStore

@testable import CloudSync
@testable import SyncContent
@testable import SyncLog

/// A device that makes snapshots of items in memory.
struct CloudBackupFixture {
    enum Item {
        case directory
        case file([UInt8])
        case symlink(String)
    }
    typealias Tree = [(path: String, item: Item)]

    let account: Account
    let clock: ContentFixture.Clock
    let writer: ContentWriter
    var device = DeviceID(bits: 0xd1)
    var containers: [ContainerName: any SyncStorage] = [:]
    var roomBytes: UInt64 = .max

    init(_ account: Account, clock: ContentFixture.Clock, random: ContentFixture.Random) {
        self.account = account
        self.clock = clock
        writer = ContentWriter(account, clock: clock, randomness: random)
    }

    var backups: CloudBackups { CloudBackups(account) }
    var upload: CloudBackupUpload { CloudBackupUpload(account, writer: writer, device: device) }

    /// Makes a snapshot of domains.
    /// - Parameters:
    ///   - takingOver: whether others of the snapshot before stay in it.
    ///   - beforeRoot: done when all but the root is in the store.
    @discardableResult
    func make(
        _ domains: [String: Tree], takingOver: Bool = false, beforeRoot: () async throws -> Void = {}
    ) async throws -> (info: CloudBackupInfo, report: CloudBackupReport) {
        let index = try SQLiteBackupIndex()
        let start = try await upload.begin(index, containers: containers)
        let writer = CloudBackupWriter(
            account, start, index, deviceName: "one", roomBytes: roomBytes)
        for (name, tree) in domains.sorted(by: { $0.key < $1.key }) {
            writer.begin(domain: name, version: "1.0")
            for (path, item) in tree { try await add(item, at: path, to: writer) }
            try writer.endDomain()
        }
        for domain in takingOver ? start.baseDomains : [] where domains[domain.name] == nil {
            try await takeOver(domain, to: writer)
        }
        try await drain(writer)
        let root = try writer.root()
        try await beforeRoot()
        return (try await upload.publish(root, start, index), writer.report)
    }

    private func add(_ item: Item, at path: String, to writer: CloudBackupWriter) async throws {
        var facts = CloudBackupRecord.Facts(path: path, mode: 0o040755, modified: 7)
        switch item {
        case .directory: try writer.addDirectory(facts)
        case .symlink(let text):
            facts.mode = 0o120777
            try writer.addSymlink(facts, text: text)
        case .file(let bytes):
            facts.mode = 0o100644
            facts.attributes = [ExtendedAttribute(name: "com.apple.note", value: [1, 2])]
            // The same bytes have the same stamp.
            let hash = ContentHash(of: bytes)
            facts.inode = UInt64(truncatingIfNeeded: hash.low) | 1
            facts.changed = 9
            if try writer.addUnchanged(facts, sizeBytes: UInt64(bytes.count)) { return }
            for start in stride(from: 0, to: bytes.count, by: 1 << 20) {
                try writer.append(Array(bytes[start..<min(bytes.count, start + (1 << 20))]))
                if writer.isFull { try await drain(writer) }
            }
            try writer.endFile(facts)
        }
    }

    private func takeOver(_ domain: CloudBackupDomain, to writer: CloudBackupWriter) async throws {
        writer.begin(domain: domain.name, version: domain.version, time: domain.time)
        for record in try await records(of: domain) {
            let missing = try writer.add(stored: record)
            guard !missing.isEmpty else { continue }
            for piece in try await backups.bytes(of: missing) { try writer.append(piece) }
            try writer.endFile(record.facts)
        }
        try writer.endDomain()
    }

    private func drain(_ writer: CloudBackupWriter) async throws {
        while let batch = try writer.nextBatch() { try writer.accept(try await upload.send(batch)) }
    }

    func records(of domain: CloudBackupDomain) async throws -> [CloudBackupRecord] {
        var all: [CloudBackupRecord] = []
        var cursor = backups.records(of: domain)
        while let (records, after) = try await cursor.advanced() {
            all += records
            cursor = after
        }
        return all
    }

    /// All that a snapshot has, as `domain/path` and what is there, with every byte read.
    func contents(of info: CloudBackupInfo) async throws -> [String: [UInt8]] {
        var found: [String: [UInt8]] = [:]
        for domain in try await backups.root(of: info).domains {
            for record in try await records(of: domain) {
                let place = "\(domain.name)/\(record.facts.path)"
                switch record.content {
                case .directory: found[place + "/"] = []
                case .symlink(let text): found[place + "@"] = Array(text.utf8)
                case .file(let content):
                    found[place] = try await backups.bytes(of: content.chunks).flatMap { $0 }
                }
            }
        }
        return found
    }

    static func contents(_ domains: [String: Tree]) -> [String: [UInt8]] {
        var found: [String: [UInt8]] = [:]
        for (name, tree) in domains {
            for (path, item) in tree {
                switch item {
                case .directory: found["\(name)/\(path)/"] = []
                case .symlink(let text): found["\(name)/\(path)@"] = Array(text.utf8)
                case .file(let bytes): found["\(name)/\(path)"] = bytes
                }
            }
        }
        return found
    }
}
