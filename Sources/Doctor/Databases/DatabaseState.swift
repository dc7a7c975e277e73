internal import CLinux
internal import Databases
internal import Posix
internal import SystemPackage

/// What tells whether a database was changed between two moments, without a lock.
struct DatabaseState: Equatable {
    /// In WAL mode: the log may hold newer pages than the file.
    let isInLogMode: Bool
    /// The change counter, and the number of the version that it is valid for.
    private let counters: [UInt8]
    let hasLog: Bool
    let hasIndex: Bool
    /// A journal that has begun: its app is in a transaction, or crashed in one, and the file is of none.
    let hasJournal: Bool

    /// - Parameter file: the database, open. It is not closed before the end of the process: that would drop
    ///   all locks that SQLite has on it here.
    init(_ site: DatabaseSite, _ file: Int32) throws(Errno) {
        let header = try FileTree.read(file, offset: 0, count: Self.headerBytes)
        guard header.count == Self.headerBytes else { throw .invalidArgument }
        isInLogMode = header[18] == 2 || header[19] == 2
        counters = Array(header[24..<28] + header[92..<96])
        func beginning(_ suffix: String) throws(Errno) -> [UInt8]? {
            try Self.beginning { () throws(Errno) in try site.open(suffix) }
        }
        hasLog = try beginning("-wal").map { !$0.isEmpty } ?? false
        hasIndex = try beginning("-shm") != nil
        // One that is kept after its transaction begins with zeros.
        hasJournal = try beginning("-journal").map { $0.first ?? 0 != 0 } ?? false
    }

    private static let headerBytes = 100

    /// The first bytes of a file beside a database; nil where there is none.
    static func beginning(_ open: () throws(Errno) -> Int32) throws(Errno) -> [UInt8]? {
        do throws(Errno) {
            let file = Descriptor(owning: try open())
            return try FileTree.read(file.raw, offset: 0, count: 8)
        } catch {
            // The second is what a mount answers where it is removed while it is opened.
            if error == .noSuchFileOrDirectory || error == .staleHandle { return nil }
            throw error
        }
    }

    /// Whether the file by itself is all there is, and nobody is about to change it.
    var isAtRest: Bool { !hasJournal && !(isInLogMode && hasLog) }
}
