internal import Backup
internal import CloudSync
internal import Posix
internal import SyncContent
internal import SyncLog

/// A snapshot in the store as something that apps are restored from. Its items are checked as those of any
/// backup of somebody else's. Used by one thread.
final class CloudSnapshotBackup: StoredBackup {
    /// Contents that follow each other come together: small files share packs.
    private static let windowBytes = 8 << 20

    private let backups: CloudBackups
    private let root: CloudBackupRoot
    private let check: () throws -> Void
    // The records that the walk is among, and which of them is visited now.
    private var records: [CloudBackupRecord] = []
    private var current = 0
    // Bytes that were got ahead, by the record's place among them.
    private var ahead: [Int: [[UInt8]]] = [:]

    /// - Parameter check: asked while the store is waited for; what it throws ends the restore.
    init(_ root: CloudBackupRoot, _ backups: CloudBackups, whileWanted check: @escaping () throws -> Void) {
        self.root = root
        self.backups = backups
        self.check = check
    }

    var apps: [BackedUpApp] {
        root.domains.compactMap { domain in
            guard let (owner, isGroup) = BackupReader.owner(of: domain.name), !isGroup else { return nil }
            return BackedUpApp(bundleID: owner, version: domain.version)
        }
    }

    func domains() throws(BackupError) -> [String] { root.domains.map(\.name).sorted() }

    func forEachItem(
        in name: String, maybe kind: RowKind?, refused: ((RefusedRow) throws -> Void)?,
        _ body: (StoredItem) throws -> Void
    ) throws {
        guard let domain = root.domains.first(where: { $0.name == name }) else { return }
        var cursor = backups.records(of: domain)
        while let (records, after) = try wait({ [cursor] in try await cursor.advanced() }) {
            (self.records, ahead) = (records, [:])
            for index in records.indices where records[index].isMaybe(kind) {
                current = index
                let item: StoredItem
                do throws(BackupError) { item = try StoredItem(records[index], in: name) } catch {
                    guard let refused else { throw error }
                    try refused(RefusedRow(error.message, ""))
                    continue
                }
                try body(item)
            }
            cursor = after
        }
        (records, ahead) = ([], [:])
    }

    /// Nothing to compare without asking for each: what is missing shows when it is read.
    func check(_ item: StoredItem) throws {}

    func read(_ item: StoredItem, _ body: ([UInt8]) throws -> Void) throws {
        guard records.indices.contains(current), case .file(let content) = records[current].content else {
            throw BackupError(.notThere, "\(item.domain)/\(item.path) is not at hand")
        }
        if content.sizeBytes > Self.windowBytes { return try readLarge(content, body) }
        if ahead[current] == nil { try getAhead() }
        for piece in ahead.removeValue(forKey: current) ?? [] { try body(piece) }
    }

    private func readLarge(_ content: HeldContent, _ body: ([UInt8]) throws -> Void) throws {
        var rest = content.chunks[...]
        while !rest.isEmpty {
            let window = Array(rest.prefix(upToBytes: Self.windowBytes) { Int($0.chunk.sizeBytes) })
            rest = rest.dropFirst(window.count)
            for piece in try bytes(of: window) { try body(piece) }
        }
    }

    /// Gets this file and those that follow it.
    private func getAhead() throws {
        ahead = [:]
        var wanted: [(index: Int, chunks: [HeldChunk])] = []
        var held: UInt64 = 0
        for index in current..<records.count {
            guard case .file(let content) = records[index].content, content.sizeBytes <= Self.windowBytes
            else { continue }
            held += content.sizeBytes
            guard held <= Self.windowBytes || wanted.isEmpty else { break }
            wanted.append((index, content.chunks))
        }
        var pieces = try bytes(of: wanted.flatMap(\.chunks))[...]
        for (index, chunks) in wanted {
            ahead[index] = Array(pieces.prefix(chunks.count))
            pieces = pieces.dropFirst(chunks.count)
        }
    }

    private func bytes(of chunks: [HeldChunk]) throws -> [[UInt8]] {
        let backups = backups
        return try wait { try await backups.bytes(of: chunks) }
    }

    private func wait<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result
    ) throws -> Result {
        try Blocking.wait(whileWanted: check, body)
    }
}

extension CloudBackupRecord {
    fileprivate func isMaybe(_ kind: RowKind?) -> Bool {
        switch (content, kind) {
        case (_, nil), (.file, .file), (.directory, .directory), (.symlink, .symlink): true
        default: false
        }
    }
}

extension StoredItem {
    fileprivate init(_ record: CloudBackupRecord, in domain: String) throws(BackupError) {
        let facts = record.facts
        var size: Int64 = 0
        let kind: Kind
        let type: UInt32
        switch record.content {
        case .directory: (kind, type) = (.directory, 0o040000)
        case .symlink(let text): (kind, type) = (.symlink(text), 0o120000)
        case .file(let content):
            (kind, type) = (.file, 0o100000)
            size = Int64(clamping: content.sizeBytes)
        }
        guard facts.mode & 0o170000 == type else {
            throw BackupError(
                .damaged, "\(domain)/\(facts.path) is of two kinds: use another snapshot: --at TIME")
        }
        try self.init(
            domain: domain, path: facts.path, kind: kind, sizeBytes: size, mode: facts.mode,
            modifiedSeconds: wholeSeconds(ofNanoseconds: facts.modified),
            attributes: facts.attributes.map { ($0.name, $0.value) })
    }
}
