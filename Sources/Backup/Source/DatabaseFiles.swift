internal import Databases
internal import Posix
internal import SandboxRules
internal import SystemPackage

/// Tells databases, and the files beside them that are part of them.
enum DatabaseFiles {
    static func isDatabase(_ name: String, in directory: Int32) throws(Errno) -> Bool {
        guard let file = try FileTree.openFile(directory, name) else { return false }
        return DatabaseFile.isDatabase(header: try file.readPiece(DatabaseFile.headerBytes))
    }

    /// Whether `name` is the log, its index or the journal of a database beside it.
    static func isPart(_ name: String, in directory: Int32) throws(Errno) -> Bool {
        guard let database = DatabaseCompanion.databaseName(of: name) else { return false }
        return try isDatabase(database, in: directory)
    }

    /// Whether more than the file itself tells what the database holds: a log or a journal lies beside it.
    static func hasParts(_ name: String, in directory: Int32) throws(Errno) -> Bool {
        for suffix in DatabaseCompanion.suffixes {
            if let stamp = try ItemStamp.ifPresent(directory, name + suffix), stamp.sizeBytes > 0 {
                return true
            }
        }
        return false
    }
}
