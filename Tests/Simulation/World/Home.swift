internal import CloudSync

/// An app on a device: its documents, and what sync remembers of them.
// Unchecked: see WorldExecutor.
final class Home: @unchecked Sendable {
    /// Which of the history's apps it is.
    let app: Int
    var disk: Disk
    var storage = MemoryStorage()
    var progress = Progress()

    init(app: Int, disk: Disk) {
        self.app = app
        self.disk = disk
    }

    /// What a backup of the whole machine would hold of it.
    struct Saved {
        let app: Int
        let disk: Disk
        let storage: MemoryStorage
        /// Of directories that are not on the disk any more.
        let removed: [Fingerprint]
    }

    func save() -> Saved {
        Saved(app: app, disk: disk.copy(), storage: storage.clone(), removed: progress.removed)
    }

    /// - Parameter device: the number of the one that it is put on.
    init(_ saved: Saved, device: Int) {
        app = saved.app
        disk = saved.disk.copy(as: device)
        storage = saved.storage.clone()
        progress = Progress(removed: saved.removed)
    }
}
