package import SyncContent
internal import SyncLog

/// Looking after the whole account: checking, repairing, collecting.
extension SyncEngine {
    /// Looks whether the store has all that the account's trees need, and reads some of it.
    /// - Parameter sample: how many chunks to read and compare with their hash.
    package func check(sample: Int) async throws -> AccountCheck.Report {
        let check = try await accountCheck()
        return try await beside { try await check.run(sample: sample) }
    }

    /// Sends damaged chunks again from the disks of the apps that were added, and tells where they lie now.
    /// - Returns: how many.
    package func repair(_ damaged: [AccountCheck.DamagedChunk]) async throws -> Int {
        let check = try await accountCheck()
        var count = 0
        for container in sortedContainers {
            let name = container.log.name
            let own = damaged.filter { $0.container.map { name == .container($0) } ?? false }
            let local = await container.localBytes(of: Set(own.map(\.chunk.hash)))
            let repaired = try await check.repair(own) { local[$0] }
            for relocations in repaired.relocations.values where !relocations.isEmpty {
                do { try await container.commit(relocations) } catch { throw error.plain }
                count += relocations.count
            }
        }
        // Who waits for those bytes asks for them when it hears of the log.
        await tell()
        return count
    }

    /// Deletes what nothing needs any more, and packs anew what is more than half dead, of the apps that were
    /// added.
    package func collect() async throws -> Collector.Report {
        let account = try await openAccount()
        makeContainers()
        await letHistoryEnd()
        return try await collect(in: account, isForced: true).report ?? Collector.Report()
    }

    /// What is due in apps that rest. What keeps one from it the collector meets too, or its next round.
    func letHistoryEnd() async {
        for container in sortedContainers { try? await container.letHistoryEnd() }
    }

    /// Deletes at once what the apps that were added sent and no batch came to name.
    package func takeBackUploads() async throws -> TakenBack {
        _ = try await openAccount()
        makeContainers()
        var taken = TakenBack()
        for container in sortedContainers {
            do { taken.add(try await container.takeBackUploads()) } catch { throw error.plain }
        }
        await tell()
        return taken
    }

    /// What `collect` would delete now, by the same looks at the store: nothing is deleted, and no record is
    /// written.
    package func collectableObjects() async throws -> Collector.Report {
        let session = try await openAccount()
        makeContainers()
        let collector = collector(of: session.asked(UnchangedStore(session.store)))
        return try await beside { try await collector.run() }
    }

    private func accountCheck() async throws -> AccountCheck {
        let account = try await openAccount()
        makeContainers()
        return AccountCheck(account, writer: maintenanceWriter(of: account), logs: logs(of: account))
    }

    func collector(of account: Account) -> Collector {
        Collector(
            account, clock: surroundings.clock, writer: maintenanceWriter(of: account),
            logs: logs(of: account), rules: surroundings.rules,
            objectsInPart: surroundings.settings.objectsInPart)
    }

    func maintenanceWriter(of account: Account) -> ContentWriter {
        ContentWriter(
            account, clock: surroundings.clock, randomness: surroundings.randomness,
            rules: surroundings.rules, limit: surroundings.uploadLimit)
    }

    /// What syncs here needs no replica any more.
    private func logs(of account: Account) -> SyncedLogs {
        var own: [LogName: any ReadableLog] = [.account: self]
        for synced in syncedLogs { own[synced.log.name] = synced }
        for log in own.keys { try? replicas.remove(log) }
        return SyncedLogs(account: account, replicas: replicas, own: own)
    }

    /// Runs work that computes for long, on the thread for it.
    func beside<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let task = Task(executorPreference: surroundings.upkeepExecutor) { @concurrent in try await work() }
        return try await task.joined().get()
    }
}

/// The account's own log.
extension SyncEngine: ReadableLog {
    func readToEnd() async throws(SyncFailure) -> any SyncStorage {
        await accountTurn.take()
        defer { accountTurn.give() }
        guard let session else { throw .ended }
        try await session.log.log.pull()
        return storage
    }
}
