internal import HomeTree
internal import Posix

/// Answers `com.apple.ubiquity.status` for a home that syncs (SPEC.md 7), from what lies on the disk now and
/// what sync had written down with its last transaction.
///
/// Nothing is kept or counted for it: who does not ask pays nothing. Sync's own connection is not used, for
/// a transaction of the engine's holds it as long as the disk takes.
package final class ItemStates: CloudStatusSource {
    private let disk: HomeDisk
    private let open: @Sendable () throws -> any SyncStorage
    /// Held while it is opened, which only those wait for who ask too.
    private let storage = Lock<(any SyncStorage)?>(nil)

    /// - Parameter open: opens what the engine writes, for reading; called with the first question.
    package init(disk: HomeDisk, open: @escaping @Sendable () throws -> any SyncStorage) {
        self.disk = disk
        self.open = open
    }

    /// Nil where nothing is, and where the disk or sync's memory cannot be read.
    package func cloudStatus(of path: [[UInt8]]) -> String? {
        // Names that are no UTF-8 have no place in the cloud.
        guard let path = LocalPath(bytes: path) else { return ItemStatus.excluded.rawValue }
        guard let (item, isExcluded) = try? disk.glance(at: path) else { return nil }
        // Known without a look at what sync has.
        if isExcluded { return ItemStatus.excluded.rawValue }
        let status = try? opened().read { try $0.status(of: item, isExcluded: false) }
        return status?.rawValue
    }

    private func opened() throws -> any SyncStorage {
        try storage.withLock { storage in
            if let storage { return storage }
            let opened = try open()
            storage = opened
            return opened
        }
    }
}
