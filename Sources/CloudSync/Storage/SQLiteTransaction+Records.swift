internal import CloudStore
internal import Foundation
internal import GRDB
internal import StoreBasics
internal import SyncLog

/// The tree's other rows in SQLite.
extension SQLiteTransaction {
    // MARK: History
    private static func retained(_ row: Row) throws -> RetainedContent {
        guard case .retained(let content) = try SnapshotRecord(row.bytes(0)) else {
            throw TreeError.damaged("a row that is no history")
        }
        return content
    }

    func retained(_ key: RetainedContent.Key) throws -> RetainedContent? {
        try first(
            "SELECT record FROM treeHistory WHERE file = ? AND sequence = ? AND position = ?",
            key.arguments, Self.retained)
    }

    func history(of file: FileID) throws -> [RetainedContent] {
        try all(
            "SELECT record FROM treeHistory WHERE file = ? ORDER BY sequence, position", [file.blob],
            Self.retained)
    }

    func setRetained(_ content: RetainedContent) throws {
        let record = SnapshotRecord.retained(content).encoded()
        try replaceRecord(retainedRecord(content.key), by: record)
        try execute(
            "INSERT OR REPLACE INTO treeHistory (file, sequence, position, record) VALUES (?, ?, ?, ?)",
            content.key.arguments + [Data(record)])
    }

    func removeRetained(_ key: RetainedContent.Key) throws {
        try replaceRecord(retainedRecord(key), by: nil)
        try execute(
            "DELETE FROM treeHistory WHERE file = ? AND sequence = ? AND position = ?", key.arguments)
    }

    private func retainedRecord(_ key: RetainedContent.Key) throws -> [UInt8]? {
        try first(
            "SELECT record FROM treeHistory WHERE file = ? AND sequence = ? AND position = ?", key.arguments
        ) { try $0.bytes(0) }
    }

    func retainedContents(after key: RetainedContent.Key?, limit: Int) throws -> [RetainedContent] {
        // Not `key ?? first`: the compiler's unoptimised code for that reads the sixteen-byte id where it
        // is not aligned, and traps.
        var arguments: StatementArguments = [FileID.root.blob, 0, 0]
        if let key { arguments = key.arguments }
        return try all(
            """
            SELECT record FROM treeHistory WHERE (file, sequence, position) > (?, ?, ?)
            ORDER BY file, sequence, position LIMIT ?
            """, arguments + [limit], Self.retained)
    }

    // MARK: Chunks
    private static func chunk(_ row: Row) throws -> ChunkRecord {
        guard case .chunk(var chunk) = try SnapshotRecord(row.bytes(0)) else {
            throw TreeError.damaged("a row that is no chunk")
        }
        chunk.liveCount = row[1]
        chunk.retainedCount = row[2]
        chunk.retainedSince = StoreTime(seconds: row[3])
        return chunk
    }

    func chunk(_ hash: ContentHash) throws -> ChunkRecord? {
        try first(
            "SELECT record, liveCount, retainedCount, retainedSince FROM treeChunk WHERE hash = ?",
            [hash.blob], Self.chunk)
    }

    func setChunk(_ chunk: ChunkRecord) throws {
        let record = SnapshotRecord.chunk(chunk).encoded()
        try replaceRecord(chunkRecord(chunk.hash), by: record)
        try execute(
            """
            INSERT OR REPLACE INTO treeChunk (hash, liveCount, retainedCount, retainedSince, record)
            VALUES (?, ?, ?, ?, ?)
            """,
            [
                chunk.hash.blob, chunk.liveCount, chunk.retainedCount, chunk.retainedSince.seconds,
                Data(record),
            ])
    }

    func removeChunk(_ hash: ContentHash) throws {
        try replaceRecord(chunkRecord(hash), by: nil)
        try execute("DELETE FROM treeChunk WHERE hash = ?", [hash.blob])
    }

    private func chunkRecord(_ hash: ContentHash) throws -> [UInt8]? {
        try first("SELECT record FROM treeChunk WHERE hash = ?", [hash.blob]) { try $0.bytes(0) }
    }

    func chunks(after hash: ContentHash?, limit: Int) throws -> [ChunkRecord] {
        try all(
            """
            SELECT record, liveCount, retainedCount, retainedSince FROM treeChunk WHERE hash > ?
            ORDER BY hash LIMIT ?
            """, [hash?.blob ?? Data(), limit], Self.chunk)
    }

    // MARK: What expires
    func firstExpiry(_ kind: ExpiryKind, before time: StoreTime) throws -> Expiry? {
        try first(
            """
            SELECT since, file, sequence, position FROM treeExpiry WHERE kind = ? AND since < ?
            ORDER BY since, file, sequence, position LIMIT 1
            """, [kind.rawValue, time.seconds]
        ) { row in
            Expiry(
                kind: kind, since: StoreTime(seconds: row[0]), file: try row.file(1),
                position: LogPosition(sequence: row[2], index: row[3]))
        }
    }

    func addExpiry(_ expiry: Expiry) throws {
        try execute(
            """
            INSERT OR IGNORE INTO treeExpiry (kind, since, file, sequence, position) VALUES (?, ?, ?, ?, ?)
            """, expiry.arguments)
    }

    func removeExpiry(_ expiry: Expiry) throws {
        try execute(
            """
            DELETE FROM treeExpiry WHERE kind = ? AND since = ? AND file = ? AND sequence = ? AND position = ?
            """, expiry.arguments)
    }
}

extension RetainedContent.Key {
    fileprivate var arguments: StatementArguments { [file.blob, position.sequence, position.index] }
}

extension Expiry {
    fileprivate var arguments: StatementArguments {
        [kind.rawValue, since.seconds, file.blob, position.sequence, position.index]
    }
}
