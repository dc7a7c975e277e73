internal import Databases
internal import Posix
internal import SystemPackage

/// The file of a snapshot's items. It is written once, and only read afterwards.
enum SnapshotFile {
    static let name = "items.sqlite"
    /// In the snapshot's folder: copies of databases, by their items' numbers.
    static let databases = "databases"
    /// Of what is written here; a later one is refused.
    static let format: Int64 = 1

    static let schema = """
        CREATE TABLE about (format INTEGER, app TEXT, takenAt INTEGER);
        CREATE TABLE items (
            number INTEGER PRIMARY KEY, owner TEXT NOT NULL, path TEXT NOT NULL, kind TEXT NOT NULL,
            size INTEGER, permissions INTEGER, modified INTEGER, changed INTEGER, inode INTEGER,
            birth INTEGER, digest BLOB, target TEXT, isEvicted INTEGER, isComparable INTEGER, content BLOB);
        CREATE TABLE attributes (item INTEGER, name TEXT, value BLOB);
        CREATE TABLE tables (item INTEGER, name TEXT, rows INTEGER, digest BLOB);
        """
    static let indexes = """
        CREATE UNIQUE INDEX itemsByPlace ON items (owner, path);
        CREATE INDEX attributesByItem ON attributes (item);
        CREATE INDEX tablesByItem ON tables (item);
        """
}

extension SnapshotItem {
    static let columns =
        "owner, path, kind, size, permissions, modified, changed, inode, birth, digest, target, isEvicted, "
        + "isComparable"

    /// Binds what `columns` names, from the parameter `first` on.
    func bind(to statement: Statement, from first: Int32) throws(SQLiteError) {
        try statement.bind(first, place.group ?? "")
        try statement.bind(first + 1, place.path)
        try statement.bind(first + 2, kind.rawValue)
        let numbers = [
            Int64(clamping: sizeBytes), Int64(permissions), modified, changed, Int64(bitPattern: inode),
            birth,
        ]
        for (index, number) in numbers.enumerated() {
            try statement.bind(first + 3 + Int32(index), number)
        }
        if let digest { try statement.bind(first + 9, digest) }
        if let target { try statement.bind(first + 10, target) }
        try statement.bind(first + 11, isEvicted ? 1 : 0)
        try statement.bind(first + 12, isComparable ? 1 : 0)
    }

    /// What `columns` names, from the column `first` on; without attributes.
    /// - Throws: where that is no item.
    init(row: Statement, from first: Int32) throws {
        guard let owner = row.text(first), let path = row.text(first + 1),
            let kind = row.text(first + 2).flatMap(Kind.init), let size = row.integer(first + 3),
            let permissions = row.integer(first + 4), let modified = row.integer(first + 5),
            let changed = row.integer(first + 6), let inode = row.integer(first + 7),
            let birth = row.integer(first + 8)
        else { throw SnapshotError("the snapshot is damaged: delete it") }
        self.init(place: Place(group: owner.isEmpty ? nil : owner, path: path), kind: kind)
        sizeBytes = UInt64(clamping: size)
        self.permissions = UInt32(clamping: permissions)
        (self.modified, self.changed, self.birth) = (modified, changed, birth)
        self.inode = UInt64(bitPattern: inode)
        digest = row.bytes(first + 9)
        target = row.text(first + 10)
        isEvicted = row.integer(first + 11) == 1
        isComparable = row.integer(first + 12) == 1
    }
}
