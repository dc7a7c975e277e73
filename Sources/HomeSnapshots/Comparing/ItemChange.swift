/// What differs between two snapshots of an app, as `apphome diff --json` prints it.
public struct SnapshotDifference: Codable, Equatable, Sendable {
    /// The app's identifier.
    public var app: String
    /// The earlier snapshot's time, ISO 8601, UTC.
    public var from: String
    /// The later one's.
    public var to: String
    /// By their paths, those of the home first.
    public var changes: [ItemChange]

    public init(app: String, from: String, to: String, changes: [ItemChange]) {
        self.app = app
        self.from = from
        self.to = to
        self.changes = changes
    }
}

/// A value before and after; nil where there was none.
public struct Change<Value: Codable & Equatable & Sendable>: Codable, Equatable, Sendable {
    public var before: Value?
    public var after: Value?

    public init(_ before: Value?, _ after: Value?) {
        self.before = before
        self.after = after
    }
}

/// What happened to one item.
public struct ItemChange: Codable, Equatable, Sendable {
    public enum Action: String, Codable, Sendable {
        case added, deleted, renamed, changed
    }

    public var action: Action
    /// `file`, `database`, `directory`, `symlink` or `special`.
    public var kind: String
    /// The group in whose container it lies; nil: the app's home.
    public var group: String?
    public var path: String
    /// Of a renamed item: where it was, with its group.
    public var oldPath: String?
    public var oldGroup: String?
    /// Bytes of files.
    public var size: Change<Int64>?
    /// Whether its content differs: of a database, its files'.
    public var content = false
    /// In octal.
    public var mode: Change<String>?
    /// The skip-backup flag.
    public var skipBackup: Change<Bool>?
    /// Whether its content is in the cloud alone.
    public var evicted: Change<Bool>?
    /// The names of other extended attributes that were set, changed or removed.
    public var attributes: [String] = []
    /// A link's text.
    public var target: Change<String>?
    /// ISO 8601, UTC: where nothing but the time of the last change differs.
    public var modified: Change<String>?
    /// What differs in a property list; nil for other files.
    public var keys: [KeyChange]?
    /// What differs in a database; nil for other files. Where it lists nothing, its file alone changed.
    public var database: DatabaseChange?

    init(_ action: Action, _ item: SnapshotItem) {
        self.action = action
        kind = item.kind.rawValue
        group = item.place.group
        path = item.place.path
    }
}

/// A value of a property list that was set, changed or removed.
public struct KeyChange: Codable, Equatable, Sendable {
    /// Keys joined by dots, indexes in brackets; "" for the top.
    public var key: String
    /// As `defaults read` shows values.
    public var value: Change<String>
}

/// What differs in a database.
public struct DatabaseChange: Codable, Equatable, Sendable {
    /// Tables, indexes, views and triggers that were made, altered or dropped.
    public var schema: [SchemaChange] = []
    public var tables: [TableChange] = []
    /// Why its rows could not be compared; nil where they were.
    public var problem: String?

    var isEmpty: Bool { schema.isEmpty && tables.isEmpty && problem == nil }
}

public struct SchemaChange: Codable, Equatable, Sendable {
    /// `table`, `index`, `view` or `trigger`.
    public var kind: String
    public var name: String
    /// The statement that makes it.
    public var statement: Change<String>
}

/// Rows of a table that differ.
public struct TableChange: Codable, Equatable, Sendable {
    public var table: String
    public var inserted = 0
    public var deleted = 0
    public var changed = 0
    /// Of a table that is only counted: how many rows it had.
    public var count: Change<Int64>?
    /// The rows, at most 10,000 of a table.
    public var rows: [RowChange] = []

    var isEmpty: Bool { inserted == 0 && deleted == 0 && changed == 0 && count == nil }
}

public struct RowChange: Codable, Equatable, Sendable {
    /// The names and values, as SQLite's literals, of what tells the row from others.
    public var key: [String: String]
    /// The columns that differ, with SQLite's literals; of a row that was inserted or deleted: all.
    public var columns: [String: Change<String>]
    public var action: ItemChange.Action
}
