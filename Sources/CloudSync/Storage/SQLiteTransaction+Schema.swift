extension SQLiteTransaction {
    /// A row's record is its snapshot record, which is all of it; the other columns are what is searched for.
    ///
    /// Nodes have SQLite's own row numbers, so that new ones are appended and only small index entries go to
    /// random places; the other tables have small rows.
    static let treeSchema = [
        """
        CREATE TABLE treeNode (
            id BLOB NOT NULL UNIQUE, parent BLOB NOT NULL, isLive INTEGER NOT NULL, name TEXT NOT NULL,
            isConflict INTEGER NOT NULL, record BLOB NOT NULL)
        """,
        // Unique: two live items of one name would be a fault of replay, and must not last.
        "CREATE UNIQUE INDEX treeName ON treeNode (parent, name) WHERE isLive = 1",
        "CREATE INDEX treeFormer ON treeNode (parent, id) WHERE isLive = 0",
        "CREATE INDEX treeConflict ON treeNode (id) WHERE isConflict = 1",
        "CREATE TABLE treeAlias (id BLOB PRIMARY KEY, target BLOB NOT NULL) WITHOUT ROWID",
        """
        CREATE TABLE treeHistory (
            file BLOB NOT NULL, sequence INTEGER NOT NULL, position INTEGER NOT NULL, record BLOB NOT NULL,
            PRIMARY KEY (file, sequence, position)) WITHOUT ROWID
        """,
        """
        CREATE TABLE treeChunk (
            hash BLOB PRIMARY KEY, liveCount INTEGER NOT NULL, retainedCount INTEGER NOT NULL,
            retainedSince INTEGER NOT NULL, record BLOB NOT NULL) WITHOUT ROWID
        """,
        """
        CREATE TABLE treeExpiry (
            kind INTEGER NOT NULL, since INTEGER NOT NULL, file BLOB NOT NULL, sequence INTEGER NOT NULL,
            position INTEGER NOT NULL, PRIMARY KEY (kind, since, file, sequence, position)) WITHOUT ROWID
        """,
        "CREATE TABLE treeDevice (device BLOB PRIMARY KEY, record BLOB NOT NULL) WITHOUT ROWID",
        "CREATE TABLE treeWord (word TEXT PRIMARY KEY) WITHOUT ROWID",
        // Head, counts and sum: one row.
        "CREATE TABLE treeSummary (record BLOB NOT NULL)",
    ]

    static let progressSchema = [
        // One row, while a commit is applied in parts.
        "CREATE TABLE treeProgress (entryHash BLOB NOT NULL, applied INTEGER NOT NULL, brought BLOB NOT NULL)"
    ]

    static let treeTables = [
        "treeNode", "treeAlias", "treeHistory", "treeChunk", "treeExpiry", "treeDevice", "treeWord",
        "treeSummary", "treeProgress", "treeKeyValue",
    ]
}
