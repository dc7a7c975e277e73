internal import HomeTree
internal import Posix

/// Answers `com.apple.ubiquity.status` for a home that syncs (SPEC.md 7), from what lies on the disk now and
/// what sync had written down with its last transaction.
///
/// Nothing is kept or counted for it: who does not ask pays nothing.
package final class ItemStates: CloudStatusSource {
    private let disk: HomeDisk
    private let storage: LateStorage

    package init(disk: HomeDisk, storage: LateStorage) {
        self.disk = disk
        self.storage = storage
    }

    /// Nil where nothing is, and where the disk or sync's memory cannot be read.
    package func cloudStatus(of path: [[UInt8]]) -> String? {
        // Names that are no UTF-8 have no place in the cloud.
        guard let path = LocalPath(bytes: path) else { return ItemStatus.excluded.rawValue }
        guard let (item, isExcluded) = try? disk.glance(at: path) else { return nil }
        // Known without a look at what sync has.
        if isExcluded { return ItemStatus.excluded.rawValue }
        let status = try? storage.read { try $0.status(of: item, isExcluded: false) }
        return status?.rawValue
    }
}
