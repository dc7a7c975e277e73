internal import Foundation
internal import GRDB
internal import SyncLog

/// Statements are compiled once for the life of the database. Bytes are bound as blobs.
extension SQLiteTransaction {
    func execute(_ sql: String, _ arguments: StatementArguments) throws {
        try database.cachedStatement(sql: sql).execute(arguments: arguments)
    }

    /// The rows that a query answers, each made into a value while it is read.
    func all<Value>(
        _ sql: String, _ arguments: StatementArguments, _ make: (Row) throws -> Value
    ) throws -> [Value] {
        var values: [Value] = []
        try forEach(sql, arguments) { values.append(try make($0)) }
        return values
    }

    func forEach(_ sql: String, _ arguments: StatementArguments, _ body: (Row) throws -> Void) throws {
        let cursor = try Row.fetchCursor(database.cachedStatement(sql: sql), arguments: arguments)
        while let row = try cursor.next() { try body(row) }
    }

    /// The first row.
    func first<Value>(
        _ sql: String, _ arguments: StatementArguments, _ make: (Row) throws -> Value
    ) throws -> Value? {
        let cursor = try Row.fetchCursor(database.cachedStatement(sql: sql), arguments: arguments)
        return try cursor.next().map(make)
    }
}

extension Row {
    /// A blob's bytes; empty where there is none.
    func bytes(_ index: Int) throws -> [UInt8] {
        try withUnsafeData(atIndex: index) { $0.map { [UInt8]($0) } ?? [] }
    }

    /// - Throws: `TreeError.damaged` where the blob is not an id.
    func file(_ index: Int) throws -> FileID {
        let bytes = try bytes(index)
        guard bytes.count == 16 else { throw TreeError.damaged("an id of \(bytes.count) bytes") }
        return FileID(bits: bytes.reduce(0) { $0 << 8 | UInt128($1) })
    }

    /// - Throws: `TreeError.damaged` where the blob is not a hash.
    func hash(_ index: Int) throws -> ContentHash {
        let bytes = try bytes(index)
        guard let hash = ContentHash(bytes) else { throw TreeError.damaged("a hash of \(bytes.count) bytes") }
        return hash
    }
}

extension FileID {
    /// As a key in the database: sixteen bytes, whose order is the ids'.
    var blob: Data { withUnsafeBytes(of: bits.bigEndian) { Data($0) } }
}

extension Locator {
    var blob: Data { Data(encoding) }
}

extension DeviceID {
    var blob: Data { withUnsafeBytes(of: bits.bigEndian) { Data($0) } }
}

extension ContentHash {
    var blob: Data { Data(bytes) }
}
