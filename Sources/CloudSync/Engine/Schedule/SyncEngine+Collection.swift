internal import CloudStore
internal import StoreBasics
internal import SyncContent
internal import SyncLog

/// What an engine remembers of how it looks after the store.
struct Upkeep {
    /// How far the logs were when somebody had collected.
    var slots: [LogName: UInt64]?
    /// When something gets old enough to go, by the store's clock.
    var nextAt: StoreTime?
    /// A run that this device began and did not end.
    var unended: UInt64?
    /// What keeps this device from it.
    var trouble: CollectionError?
}

/// The collector runs by itself: any device may, at most one a day does, and none where nothing was done
/// since the last run that it knows of and nothing has become old enough.
extension SyncEngine {
    static let second: UInt64 = 1_000_000_000
    private static let hour = 3600 * second
    static let collectionPeriod = 24 * hour

    /// Waits for its time and collects, until cancelled.
    func lookAfterStore() async {
        // Not all devices of a household at once, nor one that only came for a moment.
        var next = surroundings.clock.now() &+ Self.hour &+ surroundings.randomness.below(Self.hour)
        while !Task.isCancelled {
            guard (try? await surroundings.clock.sleep(until: next)) != nil else { return }
            let isDone = await collectIfNeeded()
            let pause = isDone ? Self.collectionPeriod : Self.hour
            next = surroundings.clock.now() &+ pause &+ surroundings.randomness.below(Self.hour)
        }
    }

    /// - Returns: whether nothing is to be done for a day: false where the store is in trouble or away, or
    ///   somebody else collects just now.
    func collectIfNeeded() async -> Bool {
        guard let session, trouble == nil, retryAt == nil else { return false }
        for synced in syncedLogs where await synced.retryAt != nil { return false }
        await letHistoryEnd()
        do throws(CollectionError) {
            let slots = await knownSlots()
            guard slots != upkeep.slots || isDue(upkeep.nextAt) else { return true }
            let paced = PacedStore(
                surroundings.store, clock: surroundings.clock,
                firstPause: Self.firstPause(surroundings.settings))
            let outcome = try await collect(in: session.account.asked(paced), isForced: false)
            upkeep.trouble = nil
            guard outcome.isDone else { return false }
            upkeep.slots = slots
            return true
        } catch {
            upkeep.trouble = error
            return false
        }
    }

    struct Collection {
        /// Of this device's run.
        var report: Collector.Report?
        /// Whether it was whole, or that of another device, less than a day ago.
        var isDone: Bool
    }

    func collect(in account: Account, isForced: Bool) async throws(CollectionError) -> Collection {
        let records = CollectionRecords(account)
        switch try await records.begin(isForced: isForced, own: upkeep.unended) {
        case .begun(let number): upkeep.unended = number
        case .isDone(let run):
            if let run { note(run) }
            // It may have left what was not old enough, and be gone by then.
            upkeep.nextAt = run?.ended.adding(seconds: account.format.retention.graceSeconds)
            return Collection(isDone: true)
        case .isUnderWay: return Collection(isDone: false)
        }
        let next = try await truncateLogs()
        let report = try await run(collector(of: account))
        upkeep.nextAt = [next, report.nextAt].compactMap(\.self).min()
        await tell()
        if !report.ranOut, let number = upkeep.unended {
            note(try await records.end(number, report))
            upkeep.unended = nil
        }
        return Collection(report: report, isDone: !report.ranOut)
    }

    /// What is not noted is told anew by the next run.
    private func note(_ run: CollectionRun) {
        try? storage.write { try $0.setLastCollection(run) }
        showUpkeep()
    }

    func showUpkeep() {
        let last = try? storage.read { try $0.lastCollection() }
        board.show(
            upkeep: UpkeepStatus(lastCollection: last, trouble: upkeep.trouble.map(\.description)))
    }

    /// Lets go of what has become old enough in the logs that sync here.
    /// - Returns: when something else does, by the store's clock.
    private func truncateLogs() async throws(CollectionError) -> StoreTime? {
        var next: [StoreTime] = []
        for synced in syncedLogs {
            do throws(SyncFailure) {
                if let moment = try await synced.upkeep.truncate().nextAt { next.append(moment) }
            } catch { throw .trouble(error.plain) }
        }
        return next.min()
    }

    /// By this machine's clock, so that nothing is asked where nothing is due.
    private func isDue(_ time: StoreTime?) -> Bool {
        time.map { $0.seconds <= surroundings.clock.wallTime() / 1_000_000_000 } ?? false
    }

    private func run(_ collector: Collector) async throws(CollectionError) -> Collector.Report {
        let names = await containersByName()
        let work: @Sendable () async -> Result<(Collector.Report, Repacked), CollectionError> = {
            do throws(CollectionError) {
                let report = try await collector.run()
                // Others would not hear where the bytes lie then.
                let own = report.sparsePacks.filter { $0.containers.isSubset(of: names.keys) }
                return .success((report, try await collector.repack(own)))
            } catch { return .failure(error) }
        }
        let outcome: Result<(Collector.Report, Repacked), CollectionError>
        do { outcome = try await beside(work) } catch { throw .store(.cancelled) }
        let (report, repacked) = try outcome.get()
        do throws(SyncFailure) {
            for (name, relocations) in report.movedBack.sorted(by: { $0.key < $1.key }) {
                try await names[name]?.commit(relocations)
            }
            for (name, relocations) in repacked.relocations.sorted(by: { $0.key < $1.key }) {
                try await names[name]?.commit(relocations, repacked.checks)
            }
        } catch { throw .trouble(error.plain) }
        return report
    }

    private func containersByName() async -> [ContainerName: ContainerSync] {
        var names: [ContainerName: ContainerSync] = [:]
        for container in sortedContainers {
            if case .container(let name) = container.log.name { names[name] = container }
        }
        return names
    }

    /// A folder has no bill and is on this machine; still nobody is to notice.
    private static func firstPause(_ settings: SyncSettings) -> UInt64 {
        settings.isStoreWatched ? second / 10 : 60 * second
    }

    /// How far each log is, as far as this device knows.
    private func knownSlots() async -> [LogName: UInt64] {
        var slots = session?.hints.newest ?? [:]
        for synced in syncedLogs {
            let cursor = await synced.cursor
            slots[synced.log.name] = max(slots[synced.log.name] ?? 0, cursor)
        }
        return slots
    }
}
