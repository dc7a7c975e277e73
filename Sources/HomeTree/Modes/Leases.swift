internal import CLinux
internal import Posix
internal import SystemPackage

/// Leases on backing files (fcntl F_SETLEASE): how the tree asks who has a file open, through a mount or past
/// all of them.
///
/// The lock is held for as long as a lease is. While there is one, this process cannot open the file either:
/// `InodeAccess.openContents` is refused, waits for this lock and tries again. If a lease outlived the lock,
/// such an open would use up its tries. So it is also held across the one rename, removal or change of
/// attributes during which nobody may open a file; whoever asks for a lease meanwhile waits for that call.
/// Directory locks come before it, and none is taken under it.
final class Leases: Sendable {
    private let lock = Lock((), rank: .leases)

    /// Whether somebody has a file open for writing, or mapped so.
    /// - Parameter file: open for reading alone.
    /// - Returns: nil where the file system knows no leases.
    func hasWriter(_ file: Int32) -> Bool? { isRefused(lx_probe_read_lease, file) }

    /// Whether anybody has a file open or mapped, but for `file`; otherwise as `hasWriter`.
    func hasUser(_ file: Int32) -> Bool? { isRefused(lx_probe_write_lease, file) }

    private func isRefused(_ probe: (Int32) -> Int32, _ file: Int32) -> Bool? {
        switch lock.withLock({ _ in probe(file) }) {
        case 0: false
        case -Errno.wouldBlock.rawValue: true
        default: nil
        }
    }

    /// Runs `body`, which waits for nothing, while nobody can open any of the files: for writing
    /// (`lx_take_read_lease`), or at all (`lx_take_write_lease`). Where the file system knows no leases,
    /// nobody is kept from it.
    /// - Throws: EWOULDBLOCK where somebody has one open.
    func holding<R>(
        _ take: (Int32) -> Int32, of files: [Int32], _ body: () throws(Errno) -> R
    ) throws(Errno) -> R {
        try lock.withLock { (_) throws(Errno) in
            var taken: [Int32] = []
            defer { for file in taken { lx_give_lease_back(file) } }
            for file in files {
                let lease = take(file)
                if lease == -Errno.wouldBlock.rawValue { throw .wouldBlock }
                if lease == 0 { taken.append(file) }
            }
            return try body()
        }
    }

    /// Waits until this process has no lease.
    func waitForOwn() { lock.withLock { _ in } }

    /// Takes a read lease and keeps it. Nothing of the product does: whoever opens the file for writing then
    /// waits, this process too. For the test that shows it.
    func keep(_ file: Int32) { _ = lock.withLock { _ in lx_take_read_lease(file) } }
}
