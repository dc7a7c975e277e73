internal import Databases
internal import Posix

/// Searches one table after the other, row by row in the order of their numbers, until its time is over.
struct TableSearch {
    private(set) var table: Int
    private(set) var row: Int64?
    private(set) var isAtEnd = false
    private(set) var hasOmitted = false
    /// Tables that only their app can read.
    private(set) var unread: [String] = []
    private(set) var matches: [DatabaseReport.Match] = []
    private let search: ContainerSearch
    private let deadline: Deadline

    /// Between two looks at the clock.
    private static let bytesAtOnce = 1 << 20
    private static let rowsAtOnce = 256

    init(table: Int, row: Int64?, _ search: ContainerSearch, until deadline: Deadline) {
        self.table = table
        self.row = row
        self.search = search
        self.deadline = deadline
    }

    mutating func run(on connection: Connection) throws(SQLiteError) {
        let names = try Self.tables(connection)
        while table < names.count {
            do {
                guard try run(through: names[table], connection) else { return }
            } catch {
                // Those behind it can be read even so.
                guard error.isUnknown else { throw error }
                unread.append(names[table])
            }
            table += 1
            row = nil
        }
        isAtEnd = true
    }

    /// Ordinary tables, among them those in which virtual ones keep their data.
    private static func tables(_ connection: Connection) throws(SQLiteError) -> [String] {
        let list = try connection.prepare(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY name")
        var names: [String] = []
        while try list.step() {
            if let name = list.text(0) { names.append(name) }
        }
        return names
    }

    /// - Returns: whether it came to the table's end.
    private mutating func run(through table: String, _ connection: Connection) throws(SQLiteError) -> Bool {
        let columns = try Self.columns(of: table, connection)
        guard !columns.isEmpty else { return true }
        guard let number = Self.rowNumber(of: table, columns, connection) else {
            return try readUnnumbered(table, columns, connection)
        }
        let list = ([number] + columns).map(\.sqlName).joined(separator: ", ")
        while true {
            let rows = try connection.prepare(
                "SELECT \(list) FROM \(table.sqlName)\(rest(number)) ORDER BY 1")
            do {
                return try read(rows, table, columns, isNumbered: true)
            } catch {
                guard error.isTooLong else { throw error }
            }
            guard try readLongRow(table, number, columns, connection) else { return true }
            if deadline.hasPassed { return false }
        }
    }

    /// Which rows are left.
    private func rest(_ number: String) -> String { row.map { " WHERE \(number.sqlName) > \($0)" } ?? "" }

    private mutating func read(
        _ rows: Statement, _ table: String, _ columns: [String], isNumbered: Bool
    ) throws(SQLiteError) -> Bool {
        var (bytes, count) = (0, 0)
        while try rows.step() {
            let number = isNumbered ? rows.integer(0) : nil
            for (index, column) in columns.enumerated() {
                rows.withBytes(Int32(index) + (isNumbered ? 1 : 0)) { value in
                    bytes += value.count
                    look(through: value, table, column, number)
                }
            }
            if let number { row = number }
            count += 1
            guard isNumbered, bytes > Self.bytesAtOnce || count > Self.rowsAtOnce else { continue }
            (bytes, count) = (0, 0)
            if deadline.hasPassed { return false }
        }
        return true
    }

    /// A table without row numbers is read at one go: there is nothing to go on from.
    private mutating func readUnnumbered(
        _ table: String, _ columns: [String], _ connection: Connection
    ) throws(SQLiteError) -> Bool {
        let list = columns.map(\.sqlName).joined(separator: ", ")
        let rows = try connection.prepare("SELECT \(list) FROM \(table.sqlName)")
        do {
            return try read(rows, table, columns, isNumbered: false)
        } catch {
            guard error.isTooLong else { throw error }
            hasOmitted = true
            return true
        }
    }

    /// Reads the next row, one of whose values is too long to be read at once, each value in parts.
    /// - Returns: false where there is none.
    private mutating func readLongRow(
        _ table: String, _ number: String, _ columns: [String], _ connection: Connection
    ) throws(SQLiteError) -> Bool {
        let next = try connection.prepare(
            "SELECT min(\(number.sqlName)) FROM \(table.sqlName)\(rest(number))")
        guard try next.step(), let number = next.integer(0) else { return false }
        for column in columns {
            // A number or null is none.
            guard let value = try? connection.value(table, column, row: number) else { continue }
            try look(through: value, table, column, number)
        }
        row = number
        return true
    }

    private mutating func look(
        through value: LongValue, _ table: String, _ column: String, _ number: Int64
    ) throws(SQLiteError) {
        let block = FileSearch.blockBytes
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: block, alignment: 16)
        defer { buffer.deallocate() }
        var (offset, seen) = (0, 0)
        while offset + seen < value.byteCount {
            let part = UnsafeMutableRawBufferPointer(
                rebasing: buffer[..<min(block, value.byteCount - offset)])
            try value.read(part, at: offset)
            look(through: UnsafeRawBufferPointer(part), seen: seen, table, column, number)
            seen = min(part.count, ContainerSearch.overlapBytes)
            offset += part.count - seen
        }
    }

    private mutating func look(
        through bytes: UnsafeRawBufferPointer, seen: Int = 0, _ table: String, _ column: String,
        _ number: Int64?
    ) {
        var ids: Set<ContainerID> = []
        search.run(over: bytes, seen: seen) { match in
            ids.insert(match.id)
            return ids.count < FileSearch.mostMatches
        }
        for id in ids { note(id, table, column, number) }
    }

    private mutating func note(_ id: ContainerID, _ table: String, _ column: String, _ number: Int64?) {
        let index = matches.firstIndex { ($0.table, $0.column, $0.container) == (table, column, id.text) }
        if let index {
            matches[index].count += 1
        } else if matches.count < FileSearch.mostMatches {
            matches.append(.init(table: table, column: column, row: number, count: 1, container: id.text))
        }
    }

    /// Those that are stored.
    private static func columns(of table: String, _ connection: Connection) throws(SQLiteError) -> [String] {
        let list = try connection.prepare("SELECT name FROM pragma_table_xinfo(?1) WHERE hidden = 0")
        try list.bind(1, table)
        var names: [String] = []
        while try list.step() {
            if let name = list.text(0) { names.append(name) }
        }
        return names
    }

    /// What the number of a row is called there; nil in a table without such numbers, or whose columns have
    /// taken all its names.
    private static func rowNumber(of table: String, _ columns: [String], _ connection: Connection) -> String?
    {
        let taken = Set(columns.map { $0.lowercased() })
        return ["rowid", "_rowid_", "oid"].first { name in
            guard !taken.contains(name) else { return false }
            // In quotes a name that is none would be a text.
            return (try? connection.prepare("SELECT \(table.sqlName).\(name) FROM \(table.sqlName)")) != nil
        }
    }
}

extension String {
    /// As a name in a statement.
    fileprivate var sqlName: String {
        let bytes = utf8.flatMap { $0 == UInt8(ascii: "\"") ? [$0, $0] : [$0] }
        return "\"\(String(decoding: bytes, as: UTF8.self))\""
    }
}
