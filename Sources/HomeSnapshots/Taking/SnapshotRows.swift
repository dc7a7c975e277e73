internal import Databases
internal import Posix

/// The rows of a snapshot that is being written.
final class SnapshotRows {
    private let connection: Connection
    private let items: Statement
    private let attributes: Statement
    private let tables: Statement
    /// The number of the next item.
    private(set) var next: Int64 = 1

    /// Makes the file in `folder`.
    init(in folder: Int32, app: String, takenAt: Int64) throws(SQLiteError) {
        connection = try Connection(folder, SnapshotFile.name, .new)
        try connection.run("BEGIN")
        try connection.run(SnapshotFile.schema)
        let about = try connection.prepare("INSERT INTO about VALUES (?, ?, ?)")
        try about.bind(1, SnapshotFile.format)
        try about.bind(2, app)
        try about.bind(3, takenAt)
        _ = try about.step()
        items = try connection.prepare(
            "INSERT INTO items (number, \(SnapshotItem.columns), content) "
                + "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        attributes = try connection.prepare("INSERT INTO attributes VALUES (?, ?, ?)")
        tables = try connection.prepare("INSERT INTO tables VALUES (?, ?, ?, ?)")
    }

    /// - Parameter content: of a file that is kept whole.
    /// - Returns: the item's number.
    @discardableResult
    func insert(_ item: SnapshotItem, content: [UInt8]?) throws(SQLiteError) -> Int64 {
        let number = next
        next += 1
        items.clearBindings()
        try items.bind(1, number)
        try item.bind(to: items, from: 2)
        if let content { try items.bind(15, content) }
        try run(items)
        for attribute in item.attributes {
            try attributes.bind(1, number)
            try attributes.bind(2, attribute.name)
            try attributes.bind(3, attribute.value)
            try run(attributes)
        }
        return number
    }

    func insert(_ table: TableSummary, of number: Int64) throws(SQLiteError) {
        try tables.bind(1, number)
        try tables.bind(2, table.name)
        try tables.bind(3, table.rows)
        try tables.bind(4, table.digest)
        try run(tables)
    }

    func finish() throws(SQLiteError) {
        try connection.run(SnapshotFile.indexes)
        try connection.run("COMMIT")
    }

    private func run(_ statement: Statement) throws(SQLiteError) {
        _ = try statement.step()
        statement.reset()
    }
}
