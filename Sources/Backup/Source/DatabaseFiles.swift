internal import Posix
internal import SystemPackage

/// Tells databases, and the files beside them that are part of them.
enum DatabaseFiles {
    private static let magic = Array("SQLite format 3".utf8) + [0]
    static let suffixes = ["-wal", "-shm", "-journal"]

    static func isDatabase(_ name: String, in directory: Int32) throws(Errno) -> Bool {
        guard let file = try FileTree.openFile(directory, name) else { return false }
        return try file.readPiece(magic.count) == magic
    }

    /// Whether `name` is the log, its index or the journal of a database beside it.
    static func isPart(_ name: String, in directory: Int32) throws(Errno) -> Bool {
        for suffix in suffixes where name.utf8.count > suffix.utf8.count && name.hasSuffix(suffix) {
            return try isDatabase(String(name.dropLast(suffix.count)), in: directory)
        }
        return false
    }

    /// Whether more than the file itself tells what the database holds: a log or a journal lies beside it.
    static func hasParts(_ name: String, in directory: Int32) throws(Errno) -> Bool {
        for suffix in suffixes {
            do throws(Errno) {
                if try ItemStamp(directory, name + suffix).sizeBytes > 0 { return true }
            } catch {
                if error != .noSuchFileOrDirectory { throw error }
            }
        }
        return false
    }
}
