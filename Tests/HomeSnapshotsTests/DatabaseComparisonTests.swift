import Databases
import Glibc
import Posix
import TestKit
import Testing

@testable import HomeSnapshots

@Suite final class DatabaseComparisonTests {
    private let folder: TemporaryFolder
    private let directory: SharedDescriptor

    init() throws {
        let made = try TemporaryFolder()
        directory = SharedDescriptor(try Descriptor(made.path, flags: O_DIRECTORY))
        folder = made
    }

    private func make(_ name: String, _ statements: String) throws -> DatabaseContents {
        #expect(try SQLiteProgram("\(folder.path)/\(name)").run(statements) == [])
        return try DatabaseContents(in: directory.raw, name)
    }

    private func changes(_ old: String, _ new: String) throws -> DatabaseChange {
        try DatabaseComparison(old: try make("old", old), new: try make("new", new)).changes()
    }

    /// Each row that differs: its key and its columns.
    private func rows(_ change: DatabaseChange) -> [String] {
        change.tables.flatMap { table in
            table.rows.map { row in
                let key = row.key.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
                let columns = row.columns.sorted { $0.key < $1.key }.map {
                    "\($0.key):\($0.value.before ?? "")>\($0.value.after ?? "")"
                }
                return "\(table.table) \(row.action) \(key.joined(separator: ",")) "
                    + columns.joined(separator: " ")
            }
        }
    }

    @Test func rowsAreKnownByTheirKeyWhateverTheirNumbers() throws {
        let schema = "CREATE TABLE t (k TEXT COLLATE NOCASE PRIMARY KEY, v);"
        let old = schema + "INSERT INTO t VALUES ('b', 1), ('A', 2), ('c', 3), ('é', 4);"
        // REPLACE gives the row another number.
        let new = old + "REPLACE INTO t VALUES ('b', 9); DELETE FROM t WHERE k = 'A';"
        #expect(try rows(changes(old, new)) == ["t deleted k='A' k:'A'> v:2>", "t changed k='b' v:1>9"])
    }

    @Test func keysOfSeveralColumnsAndTypes() throws {
        let schema = "CREATE TABLE t (a, b, v, PRIMARY KEY (b, a)) WITHOUT ROWID;"
        let old = schema + "INSERT INTO t VALUES (1, 'x', 0), ('1', 'x', 0), (x'31', 'x', 0), (1.5, 'x', 0);"
        let new = old + "UPDATE t SET v = 1 WHERE a = '1'; UPDATE t SET v = 2 WHERE a = x'31';"
        let found = try rows(changes(old, new)).sorted()
        #expect(found == ["t changed a='1',b='x' v:0>1", "t changed a=x'31',b='x' v:0>2"])
    }

    @Test func nullsInAKeyAreRowsOfTheirOwn() throws {
        let old = "CREATE TABLE t (k TEXT PRIMARY KEY, v); INSERT INTO t VALUES (NULL, 1), ('a', 1);"
        let found = try rows(changes(old, old + "UPDATE t SET v = 2 WHERE k = 'a';"))
        #expect(found == ["t changed k='a' v:1>2"])
    }

    @Test func theSchemaIsCompared() throws {
        let old =
            "CREATE TABLE t (a); INSERT INTO t VALUES (1); CREATE TABLE gone (x); CREATE VIEW v AS SELECT 1;"
        let new = old + "ALTER TABLE t ADD COLUMN b DEFAULT 7; DROP TABLE gone; CREATE INDEX i ON t (a);"
        let change = try changes(old, new)
        let schema = change.schema.map {
            "\($0.kind) \($0.name) \($0.statement.before != nil) \($0.statement.after != nil)"
        }
        #expect(schema == ["index i false true", "table gone true false", "table t true true"])
        // The column's default is no row that was changed.
        #expect(change.tables.isEmpty)
    }

    @Test func anIndexOfTextsAndGeneratedColumnsAreLeftAlone() throws {
        let old = """
            CREATE VIRTUAL TABLE f USING fts5 (body);
            CREATE TABLE g (a, b AS (a + 1), c AS (a * 2) STORED);
            """
        let change = try changes(old, old + "INSERT INTO f VALUES ('plum'); INSERT INTO g (a) VALUES (1);")
        #expect(rows(change) == ["g added rowid=1 a:>1"])
        #expect(change.tables.contains { $0.table == "f_content" && $0.inserted == 1 && $0.rows.isEmpty })
    }

    @Test func longValuesAreCutAndQuoted() throws {
        let old = "CREATE TABLE t (v);"
        let new = old + "INSERT INTO t VALUES (printf('%.5000c', 'x')), (zeroblob(40)), ('it''s');"
        let found = try rows(changes(old, new))
        #expect(found.count == 3 && found[0].hasSuffix("x… (904 characters more)'"), "\(found)")
        #expect(found[1].hasSuffix("00'… (8 bytes more)") && found[2].hasSuffix("'it''s'"), "\(found)")
    }

    @Test func tablesOfLargeDatabasesAreCounted() throws {
        let old = try make("old", "CREATE TABLE t (a); INSERT INTO t VALUES (1), (2); CREATE TABLE u (a);")
        let same = try make("same", "CREATE TABLE u (a); CREATE TABLE t (a); INSERT INTO t VALUES (1), (2);")
        let new = try make("new", "CREATE TABLE t (a); INSERT INTO t VALUES (1), ('2'); CREATE TABLE u (a);")
        let summary = try TableSummary.all(of: old)
        #expect(summary.map(\.name) == ["t", "u"] && summary.map(\.rows) == [2, 0])
        #expect(try TableSummary.all(of: same) == summary)
        #expect(try TableSummary.all(of: new) != summary)
    }

    /// It was an app's: a page of it may say anything.
    @Test func aDamagedDatabaseIsAnError() throws {
        let whole = "CREATE TABLE t (a); INSERT INTO t SELECT value FROM generate_series(1, 5000);"
        #expect(try SQLiteProgram("\(folder.path)/bad").run(whole) == [])
        let file = try Descriptor("\(folder.path)/bad", flags: O_RDWR)
        try FileTree.write(file.raw, [UInt8](repeating: 0xff, count: 4096), offset: 8192)
        let bad = try DatabaseContents(in: directory.raw, "bad")
        let good = try make("good", "CREATE TABLE t (a);")
        #expect(throws: SQLiteError.self) { try DatabaseComparison(old: good, new: bad).changes() }
    }
}
