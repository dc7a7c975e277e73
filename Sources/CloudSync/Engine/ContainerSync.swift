/// One app's sync.
actor ContainerSync {
    let app: SyncedApp
    let disk: any LocalDisk
    let storage: any SyncStorage
    let surroundings: SyncSurroundings

    init(
        app: SyncedApp, disk: any LocalDisk, storage: any SyncStorage, surroundings: SyncSurroundings
    ) {
        self.app = app
        self.disk = disk
        self.storage = storage
        self.surroundings = surroundings
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        surroundings.executor.asUnownedSerialExecutor()
    }
}
