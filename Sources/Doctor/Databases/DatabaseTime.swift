internal import CLinux
internal import Posix

/// How long the databases of one run may be searched, all together: an app can make any number of them, each
/// so that SQLite takes as long with it as it is let.
///
/// What honest databases take grows with their bytes on the disk, and is not counted. What one takes beyond
/// that comes out of one budget, some of it at most.
public final class DatabaseTime: Sendable {
    /// Leaf.
    private let left: Lock<Double>

    public static let runSeconds = 60.0
    /// Of one database.
    private static let mostSeconds = 20.0
    /// Slower than any machine reads and searches.
    private static let honestBytesPerSecond = 16e6

    /// - Parameter seconds: the budget.
    public init(seconds: Double = DatabaseTime.runSeconds) { left = Lock(seconds) }

    /// What a database may take.
    struct Share {
        /// In all.
        let seconds: Double
        fileprivate let uncounted: Double
    }

    /// - Returns: what the database at `path` may take; nil once the budget is spent.
    func share(of path: String) -> Share? {
        let left = left.withLock { $0 }
        guard left > 0 else { return nil }
        let uncounted = (Self.storedBytes(path) + Self.storedBytes(path + "-wal")) / Self.honestBytesPerSecond
        return Share(seconds: uncounted + min(left, Self.mostSeconds), uncounted: uncounted)
    }

    func spend(_ seconds: Double, of share: Share) {
        left.withLock { $0 -= max(0, seconds - share.uncounted) }
    }

    /// Holes are none.
    private static func storedBytes(_ path: String) -> Double {
        let file = lx_open_without_links(path, lx_o_path | lx_o_nofollow)
        guard file >= 0 else { return 0 }
        let opened = Descriptor(owning: file)
        var status = stat()
        guard lx_fstat(opened.raw, &status) == 0 else { return 0 }
        return Double(min(status.st_size, status.st_blocks * 512))
    }
}
