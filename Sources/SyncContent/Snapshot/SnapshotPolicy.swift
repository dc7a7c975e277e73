/// When it is time for the next snapshot of a tree, whoever makes it. Devices need not agree about it.
///
/// A large tree waits for more: nearly all of its pages are sent again where changes are scattered, so what
/// is sent has to stay in proportion to the log that it replaces.
package struct SnapshotPolicy: Equatable, Sendable {
    /// Commits after which it is due, however small the tree is.
    package var leastCommits: UInt64
    /// However large it is.
    package var mostCommits: UInt64
    /// Bytes of log after which it is due, lists of operations that lie beside the entries counted, however
    /// small the tree is.
    package var leastBytes: UInt64

    private static let documentsPerCommit: UInt64 = 100
    /// A quarter of what a document takes of a snapshot.
    private static let bytesPerDocument: UInt64 = 64

    package init(
        leastCommits: UInt64 = 1_000, mostCommits: UInt64 = 10_000, leastBytes: UInt64 = 1 << 20
    ) {
        self.leastCommits = leastCommits
        self.mostCommits = mostCommits
        self.leastBytes = leastBytes
    }

    /// - Parameters:
    ///   - commits: since the newest snapshot.
    ///   - logBytes: of their entries and operations.
    ///   - documents: of the tree.
    package func isDue(commits: UInt64, logBytes: UInt64, documents: UInt64) -> Bool {
        guard commits > 0 else { return false }
        let enough = min(max(leastCommits, documents / Self.documentsPerCommit), mostCommits)
        return commits >= enough || (logBytes >= leastBytes && logBytes / Self.bytesPerDocument >= documents)
    }
}
