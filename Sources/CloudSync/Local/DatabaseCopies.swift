internal import CLinux
internal import Posix

/// The copies of databases that are being sent: files without names, gone with the process. Those made last
/// are kept; a copy that is needed again is made again.
struct DatabaseCopies {
    struct Copy {
        /// What `read` answered.
        let fingerprint: Fingerprint
        let file: SharedDescriptor
    }

    private var copies: [(path: LocalPath, copy: Copy)] = []
    private static let limit = 8

    mutating func add(_ copy: Copy, of path: LocalPath) {
        copies.removeAll { $0.path == path }
        copies.append((path, copy))
        if copies.count > Self.limit { copies.removeFirst() }
    }

    func copy(of path: LocalPath, _ fingerprint: Fingerprint) -> Copy? {
        copies.first { $0.path == path && $0.copy.fingerprint == fingerprint }?.copy
    }
}
