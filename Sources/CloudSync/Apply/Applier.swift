package import SyncContent
package import SyncLog

/// Does on this disk what the planner found.
///
/// Crash-safe at every point: what is about to be done is written first, what was done afterwards, and bytes
/// that are displaced are known by name before they are. Synced moves in the transaction that follows the
/// bytes being in place. The disk compares what is there with what is expected in the same step in which it
/// changes it; where that differs nothing is forced, and the path is told as changed.
///
/// Used by one engine; calls do not overlap.
package final class Applier {
    /// Actions that share two transactions, and bytes that may lie in staging for them.
    static let groupSize = 64
    static let groupBytes: UInt64 = 64 << 20
    static let parallelDownloads = 8
    /// Files up to that size lie in packs, many beside each other, and come together.
    static let smallFileBytes: UInt64 = 256 << 10

    let disk: any LocalDisk
    let storage: any SyncStorage
    let source: any DownloadSource
    let randomness: any SyncRandomness
    let rules: SafetyRules
    /// Rows that go with a directory's at once.
    let limit: Int

    package init(
        disk: any LocalDisk, storage: any SyncStorage, source: any DownloadSource,
        randomness: any SyncRandomness, rules: SafetyRules, limit: Int = .max
    ) {
        self.limit = limit
        self.disk = disk
        self.storage = storage
        self.source = source
        self.randomness = randomness
        self.rules = rules
    }

    /// Runs a plan's actions in their order. One that cannot be done now is left out, and so is what stands
    /// on it; all of that stays pending.
    /// - Parameter applied: gets what came of it, also where this throws: what was moved lies elsewhere.
    /// - Throws: what the database throws; `LocalError.ended` and `.full`, and what keeps changes from being
    /// made durable, after which nothing more was tried.
    package nonisolated(nonsending) func apply(
        _ actions: [DownAction], _ applied: inout Applied
    ) async throws {
        applied.look(at: try recover())
        let isParking = actions.contains { $0.kind == .park }
        do {
            for group in Self.groups(actions) {
                let staged = await download(group, &applied)
                let prepared = try prepare(group, staged)
                let outcomes = try perform(prepared, &applied)
                try finish(outcomes, &applied)
            }
        } catch {
            // Nobody may come again; the rows follow with who does.
            if isParking, (error as? LocalError) != .ended { _ = try? disk.bringBackParked() }
            throw error
        }
        if isParking {
            let leftBehind = try recover()
            applied.parksInVain = !leftBehind.isEmpty
            applied.look(at: leftBehind)
        }
    }

    /// Runs of actions that do not stand on each other.
    static func groups(_ actions: [DownAction]) -> [[DownAction]] {
        var groups: [[DownAction]] = []
        var files: Set<FileID> = []
        var bytes: UInt64 = 0
        for action in actions {
            let size = action.downloadBytes
            let fits =
                action.isGroupable && groups.last?.last?.isGroupable ?? false
                && (groups.last?.count ?? 0) < groupSize && bytes &+ size <= groupBytes
                && !files.contains(action.file) && !files.contains(action.node.parent)
            if fits {
                groups[groups.count - 1].append(action)
            } else {
                groups.append([action])
                files = []
                bytes = 0
            }
            files.insert(action.file)
            bytes &+= size
        }
        return groups
    }
}

/// What came of a plan.
package struct Applied: Equatable, Sendable {
    /// Where something is on this disk now that was not.
    package var changed: [LocalPath] = []
    /// Items that lie elsewhere now, in order. What was noticed of them, or of what is in them, under the old
    /// path counts for the new one: see `Touched.follow`.
    package var moved: [LocalMove] = []
    /// The disk was not as expected there: to be looked at by the other direction, as `Touched.unseen`.
    package var unseen: Set<LocalPath> = []
    /// Directories that were parked meanwhile: who had them open may have changed them, and that is told by
    /// nobody. To be looked at as `Touched.whole`.
    package var whole: Set<LocalPath> = []
    /// A circle could not be gone through to its end: what was parked lies where it was, or beside that.
    package var parksInVain = false
    /// Placed beside an excluded namesake, under these paths.
    package var besideExcluded: [LocalPath] = []
    /// What did not come from the store.
    package var failures: [DownloadFailure] = []

    fileprivate mutating func look(at touched: Touched) {
        unseen.formUnion(touched.unseen)
        whole.formUnion(touched.whole)
    }
}

package struct LocalMove: Equatable, Sendable {
    package var from: LocalPath
    package var to: LocalPath

    package init(from: LocalPath, to: LocalPath) {
        self.from = from
        self.to = to
    }
}

package struct DownloadFailure: Equatable, Sendable {
    package var file: FileID
    package var error: DownloadError
}

extension DownAction {
    /// It changes no other item's path, so several may be under way between two transactions.
    fileprivate var isGroupable: Bool {
        switch kind {
        case .place, .make, .setAttributes, .remove, .agree, .forget, .keepUnnamed: true
        case .move, .park, .keepFlagged, .rename: false
        }
    }

    var downloadBytes: UInt64 { wanted?.sizeBytes ?? 0 }
}
