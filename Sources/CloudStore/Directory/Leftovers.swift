internal import CLinux
internal import Posix
internal import StoreBasics
internal import SystemPackage

/// Drafts that a killed process left: removed once in a process, before its first write, when they are so old
/// that nobody can be writing them any more.
struct Leftovers: Sendable {
    private static let ageSeconds: Int64 = 24 * 3600
    private let isSwept = Lock(false)

    /// - Parameter time: by the folder's file system.
    func sweepOnce(_ aside: borrowing Descriptor, at time: () -> StoreTime) {
        let isFirst = isSwept.withLock { isSwept in
            defer { isSwept = true }
            return !isSwept
        }
        guard isFirst else { return }
        let now = time().seconds
        // A failure is the next write's to report.
        var scan = try? DirectoryScan(aside)
        while let entry = try? scan?.next() {
            var details = stat()
            guard entry.name != StoreFolder.reserveName, entry.name != StoreFolder.clockName,
                lx_fstatat(aside.raw, entry.name, &details, lx_at_symlink_nofollow) == 0,
                details.isRegular, now - details.modified.seconds > Self.ageSeconds
            else { continue }
            _ = lx_unlinkat(aside.raw, entry.name, 0)
        }
    }
}
