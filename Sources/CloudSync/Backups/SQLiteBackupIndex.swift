internal import CloudStore
internal import Foundation
internal import GRDB
internal import StoreBasics
internal import SyncContent
internal import SyncLog

/// The index of a run in a file without a name, so that memory stays flat.
package final class SQLiteBackupIndex: CloudBackupIndex {
    private let queue: DatabaseQueue

    package init() throws {
        var configuration = Configuration()
        // One for all, never ended: it is thrown away with the file.
        configuration.allowsUnsafeTransactions = true
        configuration.prepareDatabase {
            try $0.execute(
                sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16384")
        }
        queue = try DatabaseQueue(path: "", configuration: configuration)
        try queue.inDatabase { database in
            try database.execute(
                sql: """
                    CREATE TABLE chunk (hash BLOB PRIMARY KEY, record BLOB NOT NULL, size INTEGER NOT NULL,
                        marks INTEGER NOT NULL) WITHOUT ROWID;
                    CREATE TABLE item (key BLOB PRIMARY KEY, record BLOB NOT NULL) WITHOUT ROWID;
                    BEGIN
                    """)
        }
    }

    // MARK: The snapshot before

    /// Takes over records of a domain of the snapshot before.
    func insert(_ records: [CloudBackupRecord], of domain: String) throws {
        try queue.inDatabase { database in
            let item = try database.cachedStatement(sql: "INSERT OR REPLACE INTO item VALUES (?, ?)")
            let chunk = try database.cachedStatement(sql: "INSERT OR IGNORE INTO chunk VALUES (?, ?, ?, ?)")
            for record in records {
                guard case .file(let content) = record.content else { continue }
                for held in content.chunks {
                    try chunk.execute(arguments: Self.arguments(IndexedChunk(chunk: held, marks: .base)))
                }
                guard record.facts.inode != 0 else { continue }
                try item.execute(arguments: [
                    Self.key(domain, record.facts.path).data, record.framed().data,
                ])
            }
        }
    }

    func insert(_ content: HeldContent) throws {
        try queue.inDatabase { database in
            let chunk = try database.cachedStatement(sql: "INSERT OR IGNORE INTO chunk VALUES (?, ?, ?, ?)")
            for held in content.chunks {
                try chunk.execute(arguments: Self.arguments(IndexedChunk(chunk: held, marks: .base)))
            }
        }
    }

    /// The record that the snapshot before has of a file that can be known again.
    func record(of path: String, in domain: String) throws -> CloudBackupRecord? {
        try queue.inDatabase { database in
            let statement = try database.cachedStatement(sql: "SELECT record FROM item WHERE key = ?")
            let bytes = try Data.fetchOne(statement, arguments: [Self.key(domain, path).data])
            return try bytes.map { try CloudBackupRecord(Array($0.dropFirst(4))) }
        }
    }

    /// Forgets it: it cannot be read to its end.
    func clear() throws {
        try queue.inDatabase { try $0.execute(sql: "DELETE FROM chunk; DELETE FROM item") }
    }

    // MARK: Chunks

    func row(_ hash: ContentHash) throws -> IndexedChunk? {
        try queue.inDatabase { database in
            let statement = try database.cachedStatement(
                sql: "SELECT record, marks FROM chunk WHERE hash = ?")
            return try GRDB.Row.fetchOne(statement, arguments: [hash.bytes.data]).map(Self.row)
        }
    }

    func set(_ row: IndexedChunk) throws {
        try queue.inDatabase { database in
            try database.cachedStatement(sql: "INSERT OR REPLACE INTO chunk VALUES (?, ?, ?, ?)")
                .execute(arguments: Self.arguments(row))
        }
    }

    // MARK: The quota

    /// Bytes of the chunks that `base` has and the new snapshot does not.
    func droppedBytes() throws -> UInt64 {
        try queue.inDatabase { database in
            let sum = try Int64.fetchOne(
                database, sql: "SELECT SUM(size) FROM chunk WHERE marks & 1 = 1 AND marks & 2 = 0")
            return UInt64(clamping: sum ?? 0)
        }
    }

    /// Some of the chunks that the new snapshot refers to, by ascending hash, after one.
    func held(after hash: ContentHash?, limit: Int) throws -> [IndexedChunk] {
        try queue.inDatabase { database in
            let statement = try database.cachedStatement(
                sql: "SELECT record, marks FROM chunk WHERE hash > ? AND marks & 2 = 2 ORDER BY hash LIMIT ?")
            return try GRDB.Row.fetchAll(statement, arguments: [(hash?.bytes ?? []).data, limit])
                .map(Self.row)
        }
    }

    private static func row(_ row: GRDB.Row) throws -> IndexedChunk {
        let record: Data = row[0]
        var reader = CBORReader(Array(record))
        let chunk = HeldChunk(chunk: try Chunk(from: &reader), since: try reader.time())
        return IndexedChunk(chunk: chunk, marks: IndexedChunk.Marks(rawValue: row[1]))
    }

    private static func arguments(_ row: IndexedChunk) -> StatementArguments {
        var writer = CBORWriter()
        row.chunk.chunk.encode(to: &writer)
        writer.unsigned(UInt64(clamping: row.chunk.since.seconds))
        return [
            row.chunk.chunk.hash.bytes.data, writer.bytes.data, Int64(row.chunk.chunk.sizeBytes),
            row.marks.rawValue,
        ]
    }

    /// Half of a hash: paths are long, and nobody gains by two that are equal.
    private static func key(_ domain: String, _ path: String) -> [UInt8] {
        Array(ContentHash(of: Array("\(domain)\0\(path)".utf8)).bytes.prefix(16))
    }
}

extension [UInt8] {
    fileprivate var data: Data { Data(self) }
}
