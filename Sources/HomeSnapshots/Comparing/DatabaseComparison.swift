internal import Databases
internal import Posix

/// Compares two copies of a database, row by row.
struct DatabaseComparison {
    /// More rows of a table are counted, and not listed.
    private static let rowLimit = 10_000

    let old: DatabaseContents
    let new: DatabaseContents

    func changes() throws -> DatabaseChange {
        var change = DatabaseChange()
        change.schema = try schemaChanges()
        let (before, after) = (try byName(old), try byName(new))
        for name in Set(before.keys).union(after.keys).sorted() {
            let table = try tableChange(name, before[name], after[name])
            if !table.isEmpty { change.tables.append(table) }
        }
        return change
    }

    private func byName(_ database: DatabaseContents) throws -> [String: Table] {
        Dictionary(try database.tables().map { ($0.name, $0) }) { first, _ in first }
    }

    private func schemaChanges() throws -> [SchemaChange] {
        let (before, after) = (try old.schema(), try new.schema())
        let statements = { (entries: [DatabaseContents.SchemaEntry]) in
            Dictionary(entries.map { ([$0.kind, $0.name], $0.statement) }) { first, _ in first }
        }
        let (had, has) = (statements(before), statements(after))
        return Set(had.keys).union(has.keys).sorted { $0.lexicographicallyPrecedes($1) }.compactMap { key in
            guard had[key] != has[key] else { return nil }
            return SchemaChange(kind: key[0], name: key[1], statement: Change(had[key], has[key]))
        }
    }

    private func tableChange(_ name: String, _ before: Table?, _ after: Table?) throws -> TableChange {
        var change = TableChange(table: name)
        let (olds, news) = (try before.map(old.rows), try after.map(new.rows))
        // What the rows of an index of texts say, no person reads.
        let lists = (before ?? after)?.isPartOfVirtual == false
        try olds?.next()
        try news?.next()
        while olds?.key != nil || news?.key != nil {
            switch Self.order(olds?.key, news?.key, isSameKind: before?.keyWidth == after?.keyWidth) {
            case .old:
                change.deleted += 1
                if lists, let olds { change.list(.deleted, olds, olds.row, nil, Self.rowLimit) }
                try olds?.next()
            case .new:
                change.inserted += 1
                if lists, let news { change.list(.added, news, nil, news.row, Self.rowLimit) }
                try news?.next()
            case .both:
                if let olds, let news, let (before, after) = Self.difference(olds, news) {
                    change.changed += 1
                    if lists { change.list(.changed, news, before, after, Self.rowLimit) }
                }
                try olds?.next()
                try news?.next()
            }
        }
        return change
    }

    private enum Side { case old, new, both }

    private static func order(
        _ old: [Statement.Value]?, _ new: [Statement.Value]?, isSameKind: Bool
    ) -> Side {
        guard let old else { return .new }
        guard let new else { return .old }
        guard isSameKind else { return .old }
        if old == new { return .both }
        return TableRows.isOrdered(old, before: new) ? .old : .new
    }

    /// The values of the columns that both have and that differ.
    private static func difference(
        _ old: TableRows, _ new: TableRows
    ) -> (before: [String: Statement.Value], after: [String: Statement.Value])? {
        let (before, after) = (old.row, new.row)
        let columns = before.keys.filter { column in after[column].map { $0 != before[column] } ?? false }
        guard !columns.isEmpty else { return nil }
        return (before.filter { columns.contains($0.key) }, after.filter { columns.contains($0.key) })
    }
}

extension TableRows {
    /// The row's values, by its columns.
    fileprivate var row: [String: Value] {
        Dictionary(zip(table.columns, values)) { first, _ in first }
    }
}

extension TableChange {
    fileprivate mutating func list(
        _ action: ItemChange.Action, _ place: TableRows, _ before: [String: Statement.Value]?,
        _ after: [String: Statement.Value]?, _ limit: Int
    ) {
        guard rows.count < limit else { return }
        var columns: [String: Change<String>] = [:]
        for column in Set((before ?? [:]).keys).union((after ?? [:]).keys) {
            columns[column] = Change(before?[column]?.literal, after?[column]?.literal)
        }
        let key = Dictionary(place.shownKey.map { ($0.column, $0.value.literal) }) { first, _ in first }
        rows.append(RowChange(key: key, columns: columns, action: action))
    }
}

extension Statement.Value {
    private static let textLimit = 4096
    private static let blobLimitBytes = 32

    /// As SQLite writes the value in a statement; the rest of a long one is counted.
    var literal: String {
        switch self {
        case .null: return "NULL"
        case .integer(let number): return String(number)
        case .real(let number): return String(number)
        case .text(let text):
            let rest = text.count - Self.textLimit
            let shown = rest > 0 ? "\(text.prefix(Self.textLimit))… (\(rest) characters more)" : text
            return shown.quoted(by: "'")
        case .blob(let bytes):
            let rest = bytes.count - Self.blobLimitBytes
            let shown = "x'\(Hex.text(Array(bytes.prefix(Self.blobLimitBytes))))'"
            return rest > 0 ? "\(shown)… (\(rest) bytes more)" : shown
        }
    }
}
