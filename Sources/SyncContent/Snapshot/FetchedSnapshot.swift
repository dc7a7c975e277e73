package import SyncLog

/// A snapshot whose bytes are here and were checked: to be loaded in one transaction with whatever else
/// changes then. It holds all pages: some 250 MB of a million documents.
package struct FetchedSnapshot: Sendable {
    package let root: SnapshotRoot
    fileprivate let pages: [[UInt8]]

    /// Puts the tree in place of the one that was there.
    /// - Throws: `TreeError.damaged` where no log can have made it, `CodingError`, what the storage throws:
    ///   then the transaction must not be kept.
    package func load(into storage: any TreeStorage) throws {
        var loader = try SnapshotLoader(storage)
        var reader = PageReader()
        for page in pages {
            for record in try reader.append(page) { try loader.load(record) }
        }
        try reader.end()
        try loader.finish(head: root.head)
        try storage.setEntriesReadFrom(root.head.sequence &+ 1)
        for word in root.words { try storage.addWord(word) }
    }
}

extension SnapshotReader {
    /// Gets a snapshot whole.
    /// - Throws: `.damaged` where it is not the tree that its name says.
    package func fetch(_ info: SnapshotInfo) async throws(SnapshotError) -> FetchedSnapshot {
        let root = try await root(of: info)
        var pages: [[UInt8]] = []
        try await self.pages(of: root) { page, _ in pages.append(page) }
        return FetchedSnapshot(root: root, pages: pages)
    }
}
