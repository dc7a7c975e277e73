internal import CloudStore
internal import CloudSync
internal import SyncContent
internal import SyncLog

/// Beginning and ending of devices' lives.
extension World {
    static let deviceLimit = 5
    /// By their numbers.
    static let appNames = ["com.example.app", "com.example.other"]

    /// Hears of what happens on its disk.
    func attend(_ home: Home, of device: Device) {
        let truth = truths[home.app]
        home.disk.didRemove = { [unowned home] directories in
            home.progress.removed += directories.map(\.fingerprint)
        }
        home.disk.willTake = { [unowned self, unowned home] path, inode in
            truth.seenVersions.formUnion(versionsListed(in: home, of: inode, at: path))
            truth.seenVersions.formUnion(inode.listed)
        }
        home.disk.willSwap = { [unowned self, unowned home] path, inode in
            inode.listed.formUnion(versionsListed(in: home, of: inode, at: path))
        }
        home.disk.didChange = { [unowned self, unowned device] in
            lastChange = timeline.now
            device.wake()
        }
        home.disk.didFail = { [unowned self] what in fail(what) }
    }

    /// What a device lists beside the content of a file that lies on its disk, where that is not itself
    /// beside another. After a rename that was not told yet only the inode says which item it is.
    private func versionsListed(in home: Home, of inode: Inode, at path: LocalPath) -> [Revision] {
        let listed = try? home.storage.read { transaction in
            var row: SyncedItem?
            for name in path.names {
                row = try transaction.synced(in: row?.file ?? .root, named: name)
                if row == nil { break }
            }
            // What has just come to lie there is not in its row yet.
            let coming = try transaction.intentions().map(\.after).filter { after in
                try transaction.localPath(of: after.parent)?.appending(after.name) == path
            }
            let rows =
                try [row].compactMap(\.self) + coming
                + transaction.synced(inode: inode.fingerprint, ignoringBirth: false)
            return try rows.flatMap { row -> [Revision] in
                let listed = try transaction.item(row.file)?.versions.flatMap(\.revisions) ?? []
                return row.revision.map(listed.contains) ?? true ? [] : listed
            }
        }
        return listed ?? []
    }

    func start(_ device: Device) {
        guard device.life == nil, !device.isGone else { return }
        guard timeline.now >= allSleepUntil else {
            return timeline.schedule(at: allSleepUntil) { [unowned self] in start(device) }
        }
        device.lives += 1
        let life = Life(device: device.index, number: device.lives)
        device.life = life
        device.upToDateSince = nil
        trace.note(
            "start", UInt64(device.index), UInt64(device.lives),
            line: "device \(device.index), life \(device.lives)")
        Task(executorPreference: executor) { [self] in await live(device, life) }
    }

    private func live(_ device: Device, _ life: Life) async {
        let engine = SyncEngine(
            storage: storageDoor(device, device.account, life), surroundings: surroundings(device, life))
        device.engine = engine
        let doors = device.homes.map { door(to: $0, of: device, life) }
        // Before a view shows anything.
        for (home, door) in zip(device.homes, doors) {
            _ = try? door.bringBackParked()
            if !life.hasEnded { checkHidden(in: home, of: device) }
        }
        for (home, door) in zip(device.homes, doors) {
            door.interrupt = { [unowned self] _ in inCall(of: device) }
            await engine.add(
                SyncedApp(identifier: Self.appNames[home.app], displayName: "App", sharingKeys: []),
                disk: door, storage: storageDoor(device, home.storage, life))
        }
        await addKeyValues(to: engine, of: device, storageDoor(device, device.keyValues, life))
        let isMakingSnapshot = Flag()
        while !life.hasEnded {
            let began = timeline.now
            device.isStepping = true
            let rest = await engine.step()
            device.isStepping = false
            if life.hasEnded { return }
            note(rest, of: device, since: began)
            if await engine.isSnapshotDue, !isMakingSnapshot.isSet {
                isMakingSnapshot.isSet = true
                send(device) { engine in
                    await engine.makeDueSnapshots()
                    isMakingSnapshot.isSet = false
                }
            }
            // The person reads the question, and means what he did.
            if isCalm, case .deletesHeld = rest.trouble {
                for home in device.homes { try? await engine.confirmDeletes(Self.appNames[home.app]) }
            }
            await sleep(device, life, until: rest.wakeAt)
        }
    }

    private func door(to home: Home, of device: Device, _ life: Life) -> DiskDoor {
        let door = DiskDoor(home.disk, life: life, trace: trace, rules: rules)
        if let bounds = plan.bounds { door.callNanoseconds = bounds.diskCallNanoseconds }
        door.changesAreLeft = { [met] in met.note(.changesLeft) }
        return door
    }

    /// A step that has nothing to wait for comes again at once; but not for ever.
    private static let stepsInSecond = 400

    private func note(_ rest: SyncRest, of device: Device, since began: UInt64) {
        let second = began / Plan.second
        device.steps = device.steps.second == second ? (second, device.steps.count + 1) : (second, 1)
        if device.steps.count > Self.stepsInSecond {
            fail("I10: device \(device.index) goes round in a circle: \(rest)" + pending(of: device))
        }
        for home in device.homes { checkHidden(in: home, of: device) }
        device.rest = rest
        device.upToDateSince = rest.isUpToDate && rest.trouble == nil ? began : nil
        trace.note(
            "rest", UInt64(device.index), rest.isUpToDate ? 1 : 0, rest.wakeAt ?? 0,
            line: "device \(device.index) upToDate \(rest.isUpToDate) \(rest.trouble.map { "\($0)" } ?? "")")
    }

    /// Until the moment, or a change of the disk; what the store's watcher would tell comes every 20 s.
    private func sleep(_ device: Device, _ life: Life, until moment: UInt64?) async {
        let now = timeline.now + 1_000_000_000
        let longest: UInt64 = 20_000_000_000
        let delay = min(max(moment ?? .max, now) - now, longest)
        let kick = Waiter<Bool>()
        device.kick = kick
        timeline.schedule(in: delay, for: life) { kick.answer(true) }
        _ = await kick.wait(in: life, otherwise: false)
    }

    private func surroundings(_ device: Device, _ life: Life) -> SyncSurroundings {
        let stream = UInt64(device.index) << 32 | UInt64(life.number) << 1
        let client = StoreClient(
            store, timeline, life: life, trace: trace, random: WorldRandom(seed: plan.seed, stream: stream),
            clockIsOurs: plan.clockIsOurs
        ) { device.way }
        client.willSend = { [unowned self] bytes in checkFlags(of: bytes, from: device.index) }
        client.willAsk = { [unowned self, unowned device] kind, subject in
            meet(kind, subject, of: device)
        }
        return SyncSurroundings(
            store: client, clock: DeviceClock(device.disk, life: life),
            randomness: DeviceRandomness(WorldRandom(seed: plan.seed, stream: stream + 1)),
            executor: executor,
            events: EventSink(device: device.index, trace: trace, met: met), rules: rules,
            settings: settings(of: device),
            replicas: DeviceReplicas(device, life: life) { [unowned self, unowned device] storage in
                storageDoor(device, storage, life)
            } didBegin: { [met] in
                met.note(.replica)
            })
    }

    private func settings(of device: Device) -> SyncSettings {
        var settings = SyncSettings(deviceName: "device \(device.index)")
        if device.index == plan.oldBuild {
            settings.batchLimits = BatchLimits(
                operations: LogLimits.operations, bytes: LogLimits.operationsBytes / 2)
        } else if let bounds = plan.bounds {
            settings.batchLimits = bounds.batches
            settings.snapshots = bounds.snapshots
            settings.entriesPerTreeHash = bounds.entriesPerTreeHash
            settings.operationsApplied = bounds.operationsApplied
            settings.pendingInPlan = bounds.pendingInPlan
            settings.itemsInPlan = bounds.itemsInPlan
            settings.objectsInPart = bounds.objectsInPart
            settings.contentSizes = bounds.sizes
        }
        if let commits = plan.commitsPerSnapshot { settings.snapshots.leastCommits = commits }
        if let bytes = plan.quotaBytes { settings.quotaBytes = isCalm ? nil : bytes }
        return settings
    }

    private func storageDoor(_ device: Device, _ storage: MemoryStorage, _ life: Life) -> StorageDoor {
        StorageDoor(
            storage, life: life,
            willWrite: { [unowned self] in countWrite(of: device, isBefore: true) },
            didWrite: { [unowned self] in
                for home in device.homes { checkProgress(of: home, on: device) }
                trace.note("write", UInt64(device.index), line: "device \(device.index)")
                countWrite(of: device, isBefore: false)
            })
    }

    private func countWrite(of device: Device, isBefore: Bool) {
        inCall(of: device)
        for home in device.homes { resolveRemoved(in: home) }
        if isBefore { device.writes += 1 }
        guard let due = device.dueEnding, due.isBefore == isBefore else { return }
        device.dueEnding?.writes -= 1
        guard due.writes <= 0 else { return }
        device.dueEnding = nil
        end(device, due.ending, away: due.away)
    }

    private func inCall(of device: Device) {
        guard !device.races.isEmpty else { return }
        for index in device.races.indices { device.races[index].calls -= 1 }
        let due = device.races.filter { $0.calls <= 0 }
        device.races.removeAll { $0.calls <= 0 }
        for race in due { act(on: device, race.verb, race.number) }
    }

    func end(_ device: Device, _ ending: Plan.Ending, away: UInt64) {
        guard let life = device.life else { return }
        device.life = nil
        device.engine = nil
        device.upToDateSince = nil
        life.end()
        trace.note("end", UInt64(device.index), line: "device \(device.index) \(ending)")
        if case .powerFailed = ending {
            var random = WorldRandom(seed: plan.seed, stream: trace.hash)
            for home in device.homes { home.disk.loseUnsynced(&random) }
        }
        timeline.schedule(in: away) { [unowned self] in start(device) }
    }
}

/// Of one life.
// Unchecked: see WorldExecutor.
private final class Flag: @unchecked Sendable {
    var isSet = false
}

/// What sync tells people, into the trace.
struct EventSink: SyncEventSink {
    let device: Int
    let trace: Trace
    let met: Met

    func report(_ event: SyncEvent) {
        met.note(event)
        let text = "\(event.kind)"
        trace.note(
            "event", UInt64(device), Trace.fingerprint(text.utf8), line: "device \(device) \(text)")
    }
}
