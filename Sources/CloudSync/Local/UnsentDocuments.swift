internal import SyncContent
internal import SystemPackage

/// Documents of which the log does not have what lies on this disk.
package struct UnsentDocuments: Sendable {
    package var count = 0
    /// Items of the log that are gone from this disk.
    package var deletes = 0
    /// All that is to be told.
    package var changes: Int { count + deletes }
    /// Of as many as were asked for, in no order.
    package var paths: [LocalPath] = []
    /// So many of what never goes there, in no order, with the reason; without the parts of databases.
    package var excluded: [(path: LocalPath, exclusion: Exclusion)] = []
}

extension LocalDisk {
    /// Looks at all documents, without a word to the store. Excluded ones never go there, and do not count;
    /// files that were displaced while they were open, and not compared since, do. A directory that its owner
    /// closed to itself counts as one.
    /// - Parameters:
    ///   - storage: what sync remembers; nil where the app never synced.
    ///   - limit: of so many the path is told.
    package func unsent(_ storage: (any SyncStorage)?, naming limit: Int) throws -> UnsentDocuments {
        var unsent = UnsentDocuments()
        func count(_ path: LocalPath) {
            unsent.count += 1
            if unsent.paths.count < limit { unsent.paths.append(path) }
        }
        var deletes = storage.map { UnseenDeletes($0) }
        func leaveOut(_ item: LocalItem) {
            guard let exclusion = item.exclusion, exclusion != .databaseCompanion else { return }
            if unsent.excluded.count < limit { unsent.excluded.append((item.path, exclusion)) }
        }
        try forEachUnsent(
            storage, closed: count, excluded: leaveOut, listed: { try deletes?.note($1, in: $0) },
            { count($0.path) })
        unsent.deletes = try deletes?.count() ?? 0
        unsent.count += try storage?.read { try $0.allDisplaced().count + $0.documentsWithDropped() } ?? 0
        return unsent
    }

    /// All documents but directories that the log does not have as they lie here, in no order.
    /// - Parameters:
    ///   - closed: told of directories that may not be read; nil: then this throws.
    ///   - excluded: told of items that have no place in the cloud, and not of what lies in them.
    ///   - listed: told what each directory holds, before what is in it.
    func forEachUnsent(
        _ storage: (any SyncStorage)?, closed: ((LocalPath) -> Void)? = nil,
        excluded: (LocalItem) -> Void = { _ in },
        listed: (LocalPath, [LocalItem]) throws -> Void = { _, _ in },
        _ body: (LocalItem) throws -> Void
    ) throws {
        var directories = [LocalPath()]
        while let directory = directories.popLast() {
            let items: [LocalItem]
            do throws(LocalError) {
                let all = try list(directory)
                all.filter { $0.exclusion != nil }.forEach(excluded)
                items = all.filter { $0.exclusion == nil }
            } catch {
                guard let closed, error == .failed(Errno.permissionDenied.rawValue) else { throw error }
                closed(directory)
                continue
            }
            try listed(directory, items)
            directories += items.filter { $0.kind == .directory }.map(\.path)
            let documents = items.filter { $0.kind != .directory }
            let isSent = try storage?.read { transaction in
                try documents.map { try transaction.status(of: $0, isExcluded: false) != .uploading }
            }
            for (index, document) in documents.enumerated() where isSent?[index] != true {
                try body(document)
            }
        }
    }
}
