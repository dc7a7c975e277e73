internal import SyncLog

/// Counts what this device has still to tell as deleted: items of the log that nobody looked at going.
struct UnseenDeletes {
    private let storage: any SyncStorage
    /// Which items the directories are that were listed.
    private var directories: [LocalPath: FileID] = [LocalPath(): .root]
    private var missing: [SyncedItem] = []
    /// What lies somewhere was moved, and is counted there.
    private var inodes: Set<UInt64> = []

    init(_ storage: any SyncStorage) { self.storage = storage }

    /// - Parameter items: what the directory holds of what syncs.
    mutating func note(_ items: [LocalItem], in directory: LocalPath) throws {
        inodes.formUnion(items.map(\.fingerprint.inode))
        guard let file = directories[directory] else { return }
        let names = Set(items.compactMap(\.path.name))
        try storage.read { transaction in
            for child in try transaction.syncedChildren(of: file) where !child.isLingering {
                if !names.contains(child.name) {
                    missing.append(child)
                } else if child.isDirectory {
                    directories[directory.appending(child.name)] = child.file
                }
            }
        }
    }

    /// With all that was in the directories among them.
    func count() throws -> Int {
        try storage.read { transaction in
            var count = 0
            var waiting = missing.filter { !inodes.contains($0.fingerprint.inode) }
            while let item = waiting.popLast() {
                count += 1
                guard item.isDirectory else { continue }
                waiting += try transaction.syncedChildren(of: item.file).filter {
                    !inodes.contains($0.fingerprint.inode)
                }
            }
            return count
        }
    }
}
