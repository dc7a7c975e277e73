internal import SyncContent
package import SyncLog

/// All of one account's sync on this device: its own log, hints, and each app's container.
///
/// Everything that matters is in storage: an engine that was dropped at any moment is made anew from it.
/// `run` is the product's loop; `step` does one round, for the simulation and for `cloud sync`.
package actor SyncEngine {
    let surroundings: SyncSurroundings
    let storage: any SyncStorage
    nonisolated let wakeSignal = WakeSignal()
    /// Some app's next snapshot is due.
    nonisolated let snapshotSignal = WakeSignal()
    nonisolated let usageSignal = WakeSignal()
    nonisolated let board = StatusBoard()
    nonisolated let replicas: LogReplicas
    /// Held by whoever asks what is the account's: its format, its log, hints.
    let accountTurn = Turn()
    /// What was added, by identifier; its sync is made when the account is known.
    var attached: [String: Attached] = [:]
    var containers: [String: ContainerSync] = [:]
    /// The same of key-value stores, by their identifiers.
    var attachedKeyValues: [String: AttachedKeyValues] = [:]
    var keyValues: [String: KeyValueSync] = [:]
    var session: AccountSession?
    var schedule: PollSchedule
    /// Apps that had more to do than went into the last step.
    var busy: Set<String> = []
    var backoff = Backoff.round
    var retryAt: UInt64?
    var upkeep = Upkeep() {
        didSet { if upkeep.trouble != oldValue.trouble { showUpkeep() } }
    }
    var trouble: SyncTrouble? {
        didSet { showAccount() }
    }

    struct Attached {
        var app: SyncedApp
        var disk: any LocalDisk
        var storage: any SyncStorage
    }

    /// - Parameter storage: of the account's own log; each app brings its own.
    package init(storage: any SyncStorage, surroundings: SyncSurroundings) {
        self.storage = storage
        var surroundings = surroundings
        surroundings.time = AccountTime(storage: storage)
        self.surroundings = surroundings
        replicas = LogReplicas(surroundings)
        schedule = PollSchedule(
            isWatched: surroundings.settings.isStoreWatched, now: surroundings.clock.now())
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        surroundings.executor.asUnownedSerialExecutor()
    }

    /// Something may have changed, on this disk or in the store: the loop looks at once. From any thread.
    package nonisolated func wake() { wakeSignal.signal() }

    /// Others wrote in the store, so it is there: what waits for it to come back waits no longer.
    package func storeIsThere() async {
        if trouble?.isAbsence == true { retryAt = nil }
        for synced in syncedLogs { await synced.storeIsThere() }
        wake()
    }

    /// Begins to sync an app; the account's log gets to know it. A second call replaces the first.
    package func add(_ app: SyncedApp, disk: any LocalDisk, storage: any SyncStorage) async {
        await remove(app.identifier)
        attached[app.identifier] = Attached(app: app, disk: disk, storage: storage)
        session?.isAnnounced = false
        var status = SyncStatus()
        status.isBusy = true
        board.show(status, of: app.identifier)
        wake()
    }

    /// Ends sync of an app; sends nothing more. A round that is under way gives up what it asks the store,
    /// and has ended when this returns.
    package func remove(_ identifier: String) async {
        attached[identifier] = nil
        board.remove(identifier)
        guard let container = containers.removeValue(forKey: identifier) else { return }
        await container.stop()
        await container.waitForEnd()
    }

    /// Steps until cancelled: at once while there is something to do, then when woken or when it is time.
    package func run() async {
        await withTaskExecutorPreference(surroundings.executor) {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await self.lookAfterStore() }
                group.addTask { await self.keepSnapshots() }
                group.addTask { await self.keepUsage() }
                while !Task.isCancelled {
                    let rest = await step()
                    if await isSnapshotDue { snapshotSignal.signal() }
                    await wait(until: rest.wakeAt)
                }
                group.cancelAll()
            }
        }
    }

    private func wait(until moment: UInt64?) async {
        guard let moment else { return await wakeSignal.wait() }
        await race(until: moment) { [wakeSignal] in await wakeSignal.wait() }
    }

    /// Runs `work` to its end, or until the moment comes.
    func race(until moment: UInt64, _ work: @escaping @Sendable () async -> Void) async {
        let clock = surroundings.clock
        await withTaskExecutorPreference(surroundings.executor) {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await work() }
                group.addTask { try? await clock.sleep(until: moment) }
                await group.next()
                group.cancelAll()
            }
        }
    }
}
