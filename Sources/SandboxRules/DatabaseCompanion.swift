/// The files that SQLite keeps beside a database and that are part of it, by their names.
public enum DatabaseCompanion {
    /// What is added to the database's name for its log, the index of the log, and its rollback journal.
    public static let suffixes = ["-wal", "-shm", "-journal"]

    /// The name of the database whose companion this would be, if that is one; nil for every other name.
    public static func databaseName(of name: String) -> String? {
        for suffix in suffixes where name.hasSuffix(suffix) && name.utf8.count > suffix.utf8.count {
            return String(name.dropLast(suffix.count))
        }
        return nil
    }
}
