/// All of one account's sync on this device: its own log, hints, and each app's container.
///
/// Everything that matters is in storage: an engine that was dropped at any moment is made anew from it.
/// `run` is the product's loop; `step` does one round, for the simulation and for `cloud sync`. Both belong in
/// a task that prefers the surroundings' executor, so that nothing of sync runs elsewhere.
public actor SyncEngine {
    let surroundings: SyncSurroundings
    let storage: any SyncStorage
    nonisolated let wakeSignal = WakeSignal()
    private var containers: [String: ContainerSync] = [:]

    /// - Parameter storage: of the account's own log; each app brings its own.
    public init(storage: any SyncStorage, surroundings: SyncSurroundings) {
        self.storage = storage
        self.surroundings = surroundings
    }

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        surroundings.executor.asUnownedSerialExecutor()
    }

    /// Something may have changed, on this disk or in the store: the loop looks at once. From any thread.
    public nonisolated func wake() { wakeSignal.signal() }

    /// Begins to sync an app; the account's log gets to know it. A second call replaces what is told of it.
    public func add(_ app: SyncedApp, disk: any LocalDisk, storage: any SyncStorage) {
        containers[app.identifier] = ContainerSync(
            app: app, disk: disk, storage: storage, surroundings: surroundings)
    }

    /// Ends sync of an app, after the step that is under way; sends nothing.
    public func remove(_ identifier: String) async { containers[identifier] = nil }

    /// Steps until cancelled: at once while there is something to do, then when woken or when it is time.
    public func run() async {}

    /// Does all that can be done now, for one app or all: what changed here goes up, what changed there comes
    /// down, faults are retried with back-off up to a limit. Never throws: `SyncRest.trouble` says what
    /// stopped it.
    public func step(_ identifier: String? = nil) async -> SyncRest {
        SyncRest(wakeAt: nil, isSettled: true)
    }

    /// One full sync of an app whether it is paused or not (`cloud sync`).
    public func syncOnce(_ identifier: String) async -> SyncRest { await step(identifier) }

    /// Finishes the uploads already begun, until the moment by the clock (`unmount`).
    /// - Returns: what is left.
    public func finish(_ identifier: String, until: UInt64) async -> SyncStatus { SyncStatus() }

    public func pause(_ identifier: String) async {}
    public func resume(_ identifier: String) async {}
    /// Lets the deletes that are held go up with the next step.
    public func confirmDeletes(_ identifier: String) async {}
    public func status(_ identifier: String) async -> SyncStatus? { nil }
    /// All apps that the account's log knows, by identifier.
    public func apps() async -> [SyncedApp] { [] }
}
