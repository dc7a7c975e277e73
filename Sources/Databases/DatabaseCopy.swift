internal import CLinux
internal import Posix
internal import SystemPackage

/// A consistent copy of a database in use, byte for byte what its file will be after a checkpoint: a
/// later copy of the same contents, open or closed, has the same hash.
///
/// SQLite gives the locks and the recovery, and a read transaction keeps what is read from being overwritten:
/// the file in rollback mode, the log in WAL mode. In the helper alone: closing a descriptor of the file
/// drops the locks of its process.
enum DatabaseCopy {
    /// Copies the database to the start of `target`.
    /// - Throws: what SQLite answers, and Errno.
    static func make(of site: DatabaseSite, to target: Int32) throws {
        let connection = try Connection(inUse: site, keepsLog: true)
        try connection.run("BEGIN")
        // A transaction begins with its first read.
        try connection.run("SELECT count(*) FROM sqlite_schema")
        let mode = try connection.prepare("PRAGMA journal_mode")
        let isLogged = try mode.step() && mode.text(0) == "wal"
        mode.reset()
        try copy(site.open(), isLogged ? openLog(of: site) : nil, to: target)
        try connection.run("COMMIT")
    }

    private static func openLog(of site: DatabaseSite) throws(Errno) -> Int32? {
        do throws(Errno) { return try site.open("-wal") } catch {
            if error == .noSuchFileOrDirectory { return nil }
            throw error
        }
    }

    private static func copy(_ database: Int32, _ log: Int32?, to target: Int32) throws(Errno) {
        // A writer may begin the log anew while no reader needs it: then what was read of it is of two
        // rounds.
        while true {
            let frames = try log.flatMap { (log) throws(Errno) in try readLog(log) }
            try valueOrErrno(lx_ftruncate(target, 0))
            try FileCopy.contents(of: database, to: target)
            guard let log, let frames else { return }
            try overlay(frames, log, on: target)
            if try WriteAheadLog(of: log)?.salt == frames.salt { return }
        }
    }

    private static func readLog(_ log: Int32) throws(Errno) -> WriteAheadLog? {
        var frames = try WriteAheadLog(of: log)
        try frames?.readOn(log)
        return frames
    }

    private static func overlay(_ frames: WriteAheadLog, _ log: Int32, on target: Int32) throws(Errno) {
        guard let pageCount = frames.pageCount else { return }
        let size = UInt64(frames.pageSize)
        try valueOrErrno(lx_ftruncate(target, Int64(clamping: UInt64(pageCount) * size)))
        for (page, offset) in frames.pages where page <= pageCount {
            let bytes = try FileTree.read(log, offset: Int64(clamping: offset), count: frames.pageSize)
            try FileTree.write(target, bytes, offset: Int64(clamping: UInt64(page - 1) * size))
        }
    }
}
