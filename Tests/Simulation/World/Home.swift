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

    /// The same at this moment, for a clone or to go back to.
    func copy(as device: Int? = nil) -> Home {
        let copy = Home(app: app, disk: disk.copy(as: device))
        copy.storage = storage.clone()
        // Of directories that are not on the disk any more.
        copy.progress = Progress(removed: progress.removed)
        return copy
    }
}
