internal import Posix
package import SystemPackage

/// An app's database as it was at one moment, read without any lock, while its app may use it.
///
/// A reader's lock of SQLite would be in the app's way: the last connection that closes tries once to be
/// alone, and otherwise leaves its log behind, with commits that the database lacks. So nothing is held, and
/// what was read is compared with a later snapshot. With a log, the newest page of its commits counts, as
/// after a crash; a page that is read from the database instead was right if no later commit has it, for a
/// checkpoint brings nothing else there. Without a log nobody may have written at all.
package final class DatabaseSnapshot: DatabaseBytes {
    /// A journal that has begun: its app is in a transaction, or crashed in one, and the file is of none.
    package let hasJournal: Bool
    private let file: Descriptor
    private let stamp: ItemStamp
    private let header: [UInt8]
    private let log: (file: SharedDescriptor, frames: WriteAheadLog)?
    /// Which pages were read from the database, where there is a log.
    private var pagesOfFile: Set<UInt32> = []

    /// - Parameter previous: spares reading again what is known of the log.
    /// - Throws: what the system calls answer; EINVAL for what is no database.
    package init(of site: DatabaseSite, after previous: DatabaseSnapshot? = nil) throws(Errno) {
        file = Descriptor(owning: try site.open())
        stamp = try ItemStamp(of: file)
        header = try FileTree.read(file.raw, offset: 0, count: Self.headerBytes)
        guard header.count == Self.headerBytes, DatabaseFile.isDatabase(header: header) else {
            throw .invalidArgument
        }
        log = try Self.log(of: site, previous?.log?.frames)
        hasJournal = try Self.hasJournal(site)
    }

    private static let headerBytes = 100

    private static func log(of site: DatabaseSite, _ previous: WriteAheadLog?) throws(Errno) -> (
        file: SharedDescriptor, frames: WriteAheadLog
    )? {
        guard let opened = try openIfPresent(site, "-wal") else { return nil }
        guard var frames = try WriteAheadLog(of: opened.raw) else { return nil }
        if let previous, previous.salt == frames.salt, previous.pageSize == frames.pageSize {
            frames = previous
        }
        try frames.readOn(opened.raw)
        return (opened, frames)
    }

    /// One that is kept after its transaction is empty, or begins with zeros.
    private static func hasJournal(_ site: DatabaseSite) throws(Errno) -> Bool {
        guard let journal = try openIfPresent(site, "-journal") else { return false }
        return try FileTree.read(journal.raw, offset: 0, count: 1).first ?? 0 != 0
    }

    private static func openIfPresent(_ site: DatabaseSite, _ suffix: String) throws(Errno)
        -> SharedDescriptor?
    {
        do throws(Errno) { return SharedDescriptor(Descriptor(owning: try site.open(suffix))) } catch {
            // The second: it was removed while it was opened.
            if error == .noSuchFileOrDirectory || error == .staleNFSFileHandle { return nil }
            throw error
        }
    }

    /// Whether nothing has changed since.
    package func isSame(as now: DatabaseSnapshot) -> Bool {
        isWhole(asOf: now) && log?.frames.end == now.log?.frames.end
    }

    /// Whether all that was read of this one is of one moment.
    /// - Parameter now: made after that.
    package func isWhole(asOf now: DatabaseSnapshot) -> Bool {
        guard let log else {
            return now.log == nil && stamp == now.stamp && header == now.header
                && hasJournal == now.hasJournal
        }
        guard let later = now.log, log.frames.salt == later.frames.salt,
            (stamp.device, stamp.inode) == (now.stamp.device, now.stamp.inode)
        else { return false }
        let end = log.frames.end
        return !pagesOfFile.contains { page in later.frames.pages[page].map { $0 >= end } ?? false }
    }

    package var sizeBytes: UInt64 {
        guard let frames = log?.frames, let count = frames.pageCount else { return stamp.sizeBytes }
        return UInt64(count) * UInt64(frames.pageSize)
    }

    /// Reads a part of it that lies before its end.
    package func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(Errno) {
        guard let log else {
            return try Self.fill(buffer, file.raw, offset)
        }
        let size = UInt64(log.frames.pageSize)
        var done = 0
        while done < buffer.count {
            let position = offset + UInt64(done)
            let (index, start) = position.quotientAndRemainder(dividingBy: size)
            guard let page = UInt32(exactly: index + 1) else { throw .invalidArgument }
            let part = UnsafeMutableRawBufferPointer(
                rebasing: buffer[done..<min(buffer.count, done + Int(size - start))])
            if let place = log.frames.pages[page] {
                try Self.fill(part, log.file.raw, place + start)
            } else {
                pagesOfFile.insert(page)
                try Self.fill(part, file.raw, position)
            }
            done += part.count
        }
    }

    private static func fill(
        _ buffer: UnsafeMutableRawBufferPointer, _ file: Int32, _ offset: UInt64
    ) throws(Errno) {
        let bytes = try FileTree.read(file, offset: Int64(clamping: offset), count: buffer.count)
        // Cut short meanwhile.
        guard bytes.count == buffer.count else { throw .ioError }
        buffer.copyBytes(from: bytes)
    }
}
