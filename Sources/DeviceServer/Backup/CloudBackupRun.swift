internal import Backup
internal import CloudSync
internal import Posix
internal import SyncContent
internal import SyncLog
internal import SystemPackage
internal import Wire

/// The making of one snapshot in the cloud: items come from the walk of a backup, chunks go to the store.
struct CloudBackupRun {
    /// The content of a document whose bytes are not on this device; nil for every other file.
    typealias Reference = (_ domain: String, _ path: String) throws -> FileContent?

    let writer: CloudBackupWriter
    let upload: CloudBackupUpload
    let backups: CloudBackups
    let scratch: SharedDescriptor
    let refersTo: Reference
    let progress: BackupProgress
    let leaveOut: (LeftOutItem) -> Void

    func add(_ source: DomainTree, version: String?) throws {
        writer.begin(domain: source.domain, version: version)
        try source.walk(
            visit: { item in
                do { try add(item, of: source) } catch let error as Errno {
                    throw CommandFailure(
                        "cannot read \(source.domain)/\(item.path): \(error); look at the disk")
                }
                try drain(all: false)
                try progress.check()
            }, leaveOut: leaveOut)
        try writer.endDomain()
    }

    private func add(_ item: BackupItem, of source: DomainTree) throws {
        var facts = CloudBackupRecord.Facts(item)
        switch item.kind {
        case .directory: try writer.addDirectory(facts)
        case .symlink(let text): try writer.addSymlink(facts, text: text)
        case .file:
            if let content = try refersTo(source.domain, item.path) {
                try add(stored: try writer.record(facts, referringTo: content))
                return try progress.add(item.stamp.sizeBytes)
            }
            facts.take(item.stamp, isComparable: true)
            if try addUnchanged(facts, item) { return }
            try readFile(item, of: source)
        case .database:
            facts.take(item.stamp, isComparable: try source.isAlone(item))
            if try addUnchanged(facts, item) { return }
            try readDatabase(item, of: source)
        }
    }

    /// - Returns: false where it has to be read.
    private func addUnchanged(_ facts: CloudBackupRecord.Facts, _ item: BackupItem) throws -> Bool {
        guard try writer.addUnchanged(facts, sizeBytes: item.stamp.sizeBytes) else { return false }
        try progress.add(item.stamp.sizeBytes)
        return true
    }

    private func readFile(_ item: BackupItem, of source: DomainTree) throws {
        let read = try source.read(item, begin: writer.abandonFile, append)
        try end(read, item, of: source)
    }

    private func readDatabase(_ item: BackupItem, of source: DomainTree) throws {
        writer.abandonFile()
        let read = try source.readDatabase(item, scratch: scratch.descriptor, append)
        if let read { return try end(read, item, of: source) }
        leaveOut(LeftOutItem(domain: source.domain, path: item.path, reason: .databaseBusy))
        for part in [item] + (try source.parts(of: item)) { try readFile(part, of: source) }
    }

    private func append(_ bytes: [UInt8]) throws {
        try writer.append(bytes)
        try drain(all: false)
        // A large file takes long by itself.
        try progress.add(UInt64(bytes.count))
    }

    private func end(_ read: ItemRead, _ item: BackupItem, of source: DomainTree) throws {
        var facts = CloudBackupRecord.Facts(item)
        switch read {
        case .whole(let stamp, let isComparable): facts.take(stamp, isComparable: isComparable)
        case .changing(let stamp):
            facts.take(stamp, isComparable: false)
            leaveOut(LeftOutItem(domain: source.domain, path: item.path, reason: .changing))
        case .gone: return writer.abandonFile()
        case .unreadable:
            writer.abandonFile()
            return leaveOut(LeftOutItem(domain: source.domain, path: item.path, reason: .unreadable))
        }
        try writer.endFile(facts)
    }

    // MARK: What the store has already

    /// Takes over a domain of the snapshot before, which is not read now.
    func takeOver(_ domain: CloudBackupDomain) throws {
        writer.begin(domain: domain.name, version: domain.version, time: domain.time)
        var cursor = backups.records(of: domain)
        while let (records, after) = try wait({ [cursor] in try await cursor.advanced() }) {
            for record in records {
                try add(stored: record)
                try drain(all: false)
            }
            try progress.check()
            cursor = after
        }
        try writer.endDomain()
    }

    /// What may go from where it lies is brought from there and sent anew.
    private func add(stored record: CloudBackupRecord) throws {
        let backups = backups
        let missing = try writer.add(stored: record)
        guard !missing.isEmpty else { return }
        for chunk in missing {
            let bytes = try wait { try await backups.bytes(of: [chunk]) }
            for piece in bytes { try append(piece) }
        }
        try writer.endFile(record.facts)
    }

    // MARK: Sending

    /// Sends what waits.
    /// - Parameter all: also what would wait for more.
    func drain(all: Bool) throws {
        let upload = upload
        while all || writer.isFull, let batch = try writer.nextBatch() {
            try writer.accept(try wait { try await upload.send(batch) })
        }
    }

    /// Waits for the store, which may take long, as long as the snapshot is wanted.
    private func wait<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result
    ) throws -> Result {
        try Blocking.wait(whileWanted: progress.check, body)
    }
}

extension CloudBackupRecord.Facts {
    init(_ item: BackupItem) {
        self.init(
            path: item.path, mode: item.stamp.mode, modified: item.stamp.modified,
            attributes: item.attributes.map { ExtendedAttribute(name: $0.name, value: $0.value) })
    }

    /// - Parameter isComparable: whether the file is known to be the same by this stamp.
    mutating func take(_ stamp: ItemStamp, isComparable: Bool) {
        (mode, modified) = (stamp.mode, stamp.modified)
        guard isComparable else { return }
        (changed, inode) = (stamp.changed, stamp.inode)
    }
}
