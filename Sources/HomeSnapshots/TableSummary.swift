internal import Crypto
internal import Databases
internal import Posix

/// How many rows a table of a large database had, and the SHA-256 of all that is in them.
package struct TableSummary: Equatable, Sendable {
    let name: String
    let rows: Int64
    let digest: [UInt8]

    /// Of every table of `database`.
    static func all(
        of database: DatabaseContents, _ check: () throws -> Void = {}
    ) throws -> [TableSummary] {
        try database.tables().map { table in
            let rows = try database.rows(of: table)
            var hash = SHA256()
            var count: Int64 = 0
            for column in table.columns { hash.update(.text(column)) }
            while try rows.next() {
                for value in rows.values { hash.update(value) }
                count += 1
                if count % 1000 == 0 { try check() }
            }
            return TableSummary(name: table.name, rows: count, digest: Array(hash.finalize()))
        }
    }
}

extension SHA256 {
    /// Takes a value with its type and length, so that no two lists of values look alike.
    fileprivate mutating func update(_ value: Statement.Value) {
        switch value {
        case .null: update(0, [])
        case .integer(let number): update(1, withUnsafeBytes(of: number.littleEndian) { Array($0) })
        case .real(let number):
            update(2, withUnsafeBytes(of: number.bitPattern.littleEndian) { Array($0) })
        case .text(let text): update(3, Array(text.utf8))
        case .blob(let bytes): update(4, bytes)
        }
    }

    private mutating func update(_ type: UInt8, _ bytes: [UInt8]) {
        update(data: [type])
        update(data: withUnsafeBytes(of: UInt64(bytes.count).littleEndian) { Array($0) })
        update(data: bytes)
    }
}
