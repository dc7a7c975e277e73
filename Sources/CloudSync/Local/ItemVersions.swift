package import HomeTree
internal import Posix
internal import StoreBasics
package import SyncContent
internal import SyncLog
internal import SystemPackage

/// Tells of the conflict versions of an app that syncs, by the log as this device has it.
///
/// Nearly no app has any: then a question costs one small read of sync's database.
package final class ItemVersions: ConflictSource {
    private let reader: LateStorage
    private let source: VersionSource
    /// As they were told last.
    private let known = Lock(Known(), rank: .leaf)

    /// By the directories that were asked of.
    private struct Known {
        var state: State?
        var versions: [FileID: [VersionBeside]] = [:]
    }

    /// Another one wherever a directory may have other versions.
    private struct State: Equatable {
        let head: TreeHead
        /// Operations of a commit that is applied in parts.
        let applied: CommitProgress?
    }

    /// - Parameters:
    ///   - reader: of what the engine writes, for looking.
    ///   - writer: opens it for writing, beside the engine, whose own connection is busy while it plans.
    ///   - open: opens the account, from which versions' bytes are read.
    ///   - wake: has the engine look.
    ///   - failed: told why bytes cannot be had, where the kernel gets EIO.
    package init(
        reader: LateStorage, writer: LateStorage,
        opening open: @escaping @Sendable () async throws(SyncTrouble) -> Account,
        wake: @escaping @Sendable () -> Void, failed: @escaping @Sendable (SyncTrouble) -> Void
    ) {
        self.reader = reader
        source = VersionSource(reader: reader, writer: writer, open: open, wake: wake, failed: failed)
    }

    /// None where sync's memory cannot be read.
    package func conflictVersions(in directory: [[UInt8]]) -> [any ConflictVersion] {
        guard let path = LocalPath(bytes: directory) else { return [] }
        let found = try? reader.read { tree -> [VersionBeside] in
            guard try tree.treeCounts().conflicts > 0 else { return [] }
            let parent = path.names.isEmpty ? FileID.root : try tree.synced(at: path)?.file
            guard let parent, case let versions = try versions(in: parent, tree), !versions.isEmpty else {
                return []
            }
            let dropped = try tree.droppedRevisions()
            return dropped.isEmpty ? versions : versions.filter { !$0.isDropped(by: dropped) }
        }
        return found ?? []
    }

    package func end() { source.end() }

    private func versions(in parent: FileID, _ tree: any SyncTransaction) throws -> [VersionBeside] {
        let state = State(head: try tree.treeHead(), applied: try tree.commitProgress())
        let same = known.withLock { $0.state == state ? $0.versions[parent] : nil }
        if let same { return same }
        let nodes = try tree.conflicts(in: tree.resolve(parent))
        let versions = try nodes.flatMap { try VersionBeside.all(of: $0, in: tree, source) }
        // What goes may take other locks with it: after this one.
        _ = known.withLock { known -> Known in
            let before = known
            if known.state != state { known = Known(state: state) }
            known.versions[parent] = versions
            return before
        }
        return versions
    }
}
