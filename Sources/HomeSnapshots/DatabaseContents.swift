internal import Databases
internal import Posix

/// The schema and the tables of a database's copy, which nobody changes.
package final class DatabaseContents {
    private let connection: Connection

    /// Opens `name` in the open directory `directory`.
    init(in directory: Int32, _ name: String) throws {
        connection = try Connection(directory, name, .immutable)
    }

    /// A table, index, view or trigger, and the statement that makes it.
    struct SchemaEntry: Hashable {
        let kind: String
        let name: String
        let statement: String
    }

    /// All that the app has made; not what SQLite keeps for itself.
    func schema() throws -> [SchemaEntry] {
        let rows = try connection.prepare("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name")
        var entries: [SchemaEntry] = []
        while try rows.step() {
            guard let kind = rows.text(0), let name = rows.text(1), !name.hasPrefix("sqlite_") else {
                continue
            }
            entries.append(SchemaEntry(kind: kind, name: name, statement: rows.text(2) ?? ""))
        }
        return entries
    }

    /// The tables that hold rows of their own, by name.
    func tables() throws -> [Table] {
        let entries = try schema().filter { $0.kind == "table" }
        let virtual = entries.filter { $0.statement.uppercased().hasPrefix("CREATE VIRTUAL") }.map(\.name)
        return try entries.filter { !virtual.contains($0.name) }.map { entry in
            let isPart = virtual.contains { entry.name.hasPrefix("\($0)_") }
            return try table(entry.name, isPartOfVirtual: isPart)
        }
    }

    private func table(_ name: String, isPartOfVirtual: Bool) throws -> Table {
        let rows = try connection.prepare("PRAGMA main.table_xinfo(\(Table.quoted(name)))")
        var columns: [String] = []
        var key: [(place: Int64, name: String)] = []
        var isNumbered = false
        while try rows.step() {
            // Generated columns say nothing that the others do not, and would be computed here.
            guard let column = rows.text(1), rows.integer(6) == 0 else { continue }
            columns.append(column)
            guard let place = rows.integer(5), place > 0 else { continue }
            key.append((place, column))
            isNumbered = rows.text(2)?.uppercased() == "INTEGER"
        }
        let rowNumber = rowNumber(of: name, columns)
        let keyColumns = key.sorted { $0.place < $1.place }.map(\.name)
        if let rowNumber, keyColumns.isEmpty || (isNumbered && keyColumns.count == 1) {
            return Table(
                name: name, columns: columns, key: .number(rowNumber, shown: keyColumns.first ?? "rowid"),
                isPartOfVirtual: isPartOfVirtual)
        }
        return Table(
            name: name, columns: columns, key: .columns(keyColumns), isPartOfVirtual: isPartOfVirtual)
    }

    /// How the table's row numbers are named; nil where it has none.
    private func rowNumber(of table: String, _ columns: [String]) -> String? {
        let taken = Set(columns.map { $0.lowercased() })
        guard let name = ["rowid", "_rowid_", "oid"].first(where: { !taken.contains($0) }) else { return nil }
        let works = try? connection.prepare("SELECT \(name) FROM \(Table.quoted(table)) LIMIT 0").step()
        return works == nil ? nil : name
    }

    /// The rows of a table, by its key.
    func rows(of table: Table) throws -> TableRows {
        TableRows(table, try connection.prepare(table.query))
    }
}

/// A table of a database.
struct Table {
    enum Key {
        /// The row's number, under the name that SQLite has for it here; shown under that of its column.
        case number(String, shown: String)
        case columns([String])
    }

    let name: String
    /// Those that are stored.
    let columns: [String]
    let key: Key
    /// Kept by a virtual table, a full-text index for example.
    let isPartOfVirtual: Bool

    static func quoted(_ name: String) -> String { name.quoted(by: "\"") }

    /// What tells a row from others, then all columns; in an order that does not depend on how the database
    /// compares texts.
    var query: String {
        let keys: [String]
        switch key {
        case .number(let name, _): keys = [name]
        case .columns(let columns):
            keys = columns.map(Self.quoted).flatMap { ["typeof(\($0))", "CAST(\($0) AS BLOB)"] }
        }
        let order = (1...max(keys.count, 1)).map(String.init).joined(separator: ", ")
        return "SELECT \((keys + columns.map(Self.quoted)).joined(separator: ", ")) "
            + "FROM main.\(Self.quoted(name)) ORDER BY \(order)"
    }

    /// How many columns of `query` are the key.
    var keyWidth: Int {
        switch key {
        case .number: 1
        case .columns(let columns): 2 * columns.count
        }
    }
}

/// The rows of a table, one after the other by its key.
final class TableRows {
    typealias Value = Statement.Value

    let table: Table
    private let statement: Statement
    /// What orders the rows; nil at the end.
    private(set) var key: [Value]?

    init(_ table: Table, _ statement: Statement) {
        self.table = table
        self.statement = statement
    }

    /// Goes to the next row.
    /// - Returns: false where there is none.
    @discardableResult
    func next() throws -> Bool {
        key = try statement.step() ? (0..<Int32(table.keyWidth)).map(statement.value) : nil
        return key != nil
    }

    /// All columns of the row.
    var values: [Value] {
        table.columns.indices.map { statement.value(Int32(table.keyWidth + $0)) }
    }

    /// The key as a person knows it.
    var shownKey: [(column: String, value: Value)] {
        switch table.key {
        case .number(_, let shown): [(shown, statement.value(0))]
        case .columns(let columns):
            columns.map { column in
                let index = table.columns.firstIndex(of: column) ?? 0
                return (column, statement.value(Int32(table.keyWidth + index)))
            }
        }
    }

    /// Whether a row with this key comes before one with the other.
    static func isOrdered(_ one: [Value], before other: [Value]) -> Bool {
        for (one, other) in zip(one, other) where one != other {
            switch (one, other) {
            case (.integer(let one), .integer(let other)): return one < other
            case (.text(let one), .text(let other)): return one.utf8.lexicographicallyPrecedes(other.utf8)
            case (.blob(let one), .blob(let other)): return one.lexicographicallyPrecedes(other)
            // A NULL's bytes are NULL, and both sides have the same types in front.
            default: return one == .null
            }
        }
        return false
    }
}

extension String {
    /// As SQLite reads it between two such marks.
    func quoted(by mark: Unicode.Scalar) -> String {
        var text = String(mark)
        for scalar in unicodeScalars {
            if scalar == mark { text.unicodeScalars.append(mark) }
            text.unicodeScalars.append(scalar)
        }
        text.unicodeScalars.append(mark)
        return text
    }
}
