package import SyncLog

/// A snapshot whose pages lie beside the tree (`FetchedPages`) and were checked: to be loaded in one
/// transaction with whatever else changes then.
package struct FetchedSnapshot: Sendable {
    package let root: SnapshotRoot

    /// Puts the tree in place of the one that was there, and lets go of the pages.
    /// - Throws: `TreeError.damaged` where no log can have made it, or other pages lie there; `CodingError`;
    ///   what the storage throws: then the transaction must not be kept.
    package func load(into storage: any TreeStorage) throws {
        guard try storage.fetchedPages(of: root.treeHash) == root.pages.count else {
            throw TreeError.damaged("another snapshot's pages")
        }
        var loader = try SnapshotLoader(storage)
        var reader = PageReader()
        for number in root.pages.indices {
            for record in try reader.append(try storage.fetchedPage(number) ?? []) { try loader.load(record) }
        }
        try reader.end()
        try loader.finish(head: root.head)
        try storage.setEntriesReadFrom(root.head.sequence &+ 1)
        for word in root.words { try storage.addWord(word) }
        try storage.removeFetchedPages()
    }
}

extension SnapshotReader {
    /// Gets a snapshot whole. What an earlier call got of it is not asked for again.
    /// - Parameter database: whose tree it is to replace.
    /// - Throws: `.damaged` where it is not the tree that its name says; nothing of it is kept then.
    package func fetch(
        _ info: SnapshotInfo, into database: any TreeDatabase
    ) async throws(SnapshotError) -> FetchedSnapshot {
        let root = try await root(of: info)
        let fetched = try SnapshotError.storing { () throws in
            try database.writeTree { tree in
                let fetched = try tree.fetchedPages(of: root.treeHash)
                if fetched <= root.pages.count { return fetched }
                // The same tree, cut by another build.
                try tree.removeFetchedPages()
                return 0
            }
        }
        try await download(root.pages.dropFirst(fetched)) { pages throws(SnapshotError) in
            try SnapshotError.storing { () throws in
                try database.writeTree { tree in
                    for page in pages { try tree.addFetchedPage(page, of: root.treeHash) }
                }
            }
        }
        do {
            try check(root, in: database)
        } catch {
            if case .damaged = error {
                try SnapshotError.storing { () throws in
                    try database.writeTree { try $0.removeFetchedPages() }
                }
            }
            throw error
        }
        return FetchedSnapshot(root: root)
    }

    private func check(_ root: SnapshotRoot, in database: any TreeDatabase) throws(SnapshotError) {
        var scan = PageScan()
        for number in root.pages.indices {
            let page = try SnapshotError.storing { () throws in
                try database.readTree { try $0.fetchedPage(number) }
            }
            guard let page else { throw .changed }
            _ = try scan.append(page)
        }
        try scan.end(root)
    }
}

extension SnapshotError {
    fileprivate static func storing<Value>(_ body: () throws -> Value) throws(SnapshotError) -> Value {
        do { return try body() } catch { throw .storage("\(error)") }
    }
}
