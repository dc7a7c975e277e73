internal import Foundation
internal import GRDB
internal import SyncLog

/// A snapshot that is being fetched, in SQLite.
extension SQLiteTransaction {
    static let fetchedSchema = [
        """
        CREATE TABLE fetchedPage (
            number INTEGER PRIMARY KEY CHECK (number >= 0), snapshot BLOB NOT NULL, bytes BLOB NOT NULL)
        """
    ]

    func fetchedPages(of snapshot: ContentHash) throws -> Int {
        // Which one they are of the first says: all others go when it comes.
        let sql = "SELECT snapshot FROM fetchedPage WHERE number = 0"
        guard try first(sql, [], { try $0.hash(0) }) == snapshot else { return 0 }
        return try first("SELECT max(number) + 1 FROM fetchedPage", []) { $0[0] as Int } ?? 0
    }

    func addFetchedPage(_ bytes: [UInt8], of snapshot: ContentHash) throws {
        let number = try fetchedPages(of: snapshot)
        if number == 0 { try removeFetchedPages() }
        try execute(
            "INSERT INTO fetchedPage (number, snapshot, bytes) VALUES (?, ?, ?)",
            [number, snapshot.blob, Data(bytes)])
    }

    func fetchedPage(_ number: Int) throws -> [UInt8]? {
        try first("SELECT bytes FROM fetchedPage WHERE number = ?", [number]) { try $0.bytes(0) }
    }

    func removeFetchedPages() throws {
        try execute("DELETE FROM fetchedPage", [])
    }
}
