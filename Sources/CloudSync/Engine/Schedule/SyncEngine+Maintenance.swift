package import SyncContent

/// Looking after the whole account: checking, repairing, collecting.
extension SyncEngine {
    /// Looks whether the store has all that the account's trees need, and reads some of it.
    /// - Parameter sample: how many chunks to read and compare with their hash.
    package func check(sample: Int) async throws -> AccountCheck.Report {
        try await AccountCheck(
            try await openAccount(), writer: try await maintenanceWriter(), scratch: Self.scratch
        )
        .run(sample: sample)
    }

    /// Sends damaged chunks again from the disks of the apps that were added, and tells where they lie now.
    /// - Returns: how many.
    package func repair(_ damaged: [AccountCheck.DamagedChunk]) async throws -> Int {
        let account = try await openAccount()
        let check = AccountCheck(account, writer: try await maintenanceWriter(), scratch: Self.scratch)
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
        return try await collect(in: account, isForced: true) ?? Collector.Report()
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
        let account = Account(store: UnchangedStore(session.store), format: session.format)
        let collector = Collector(
            account, clock: surroundings.clock, writer: maintenanceWriter(of: account),
            rules: surroundings.rules, scratch: Self.scratch)
        return try await collector.run(isForced: true) ?? Collector.Report()
    }

    /// - Parameter account: with the store that is to be asked.
    /// - Returns: nil where another run began less than a day ago.
    func collect(in account: Account, isForced: Bool) async throws -> Collector.Report? {
        let collector = Collector(
            account, clock: surroundings.clock, writer: maintenanceWriter(of: account),
            rules: surroundings.rules, scratch: Self.scratch)
        guard let report = try await collector.run(isForced: isForced) else { return nil }
        let repacked = try await collector.repack(report.sparsePacks)
        for container in sortedContainers {
            guard case .container(let name) = container.log.name,
                let relocations = repacked.relocations[name], !relocations.isEmpty
            else { continue }
            do { try await container.commit(relocations) } catch { throw error.plain }
        }
        await tell()
        return report
    }

    private func maintenanceWriter() async throws(SyncTrouble) -> ContentWriter {
        maintenanceWriter(of: try await openAccount())
    }

    func maintenanceWriter(of account: Account) -> ContentWriter {
        ContentWriter(
            account, clock: surroundings.clock, randomness: surroundings.randomness,
            rules: surroundings.rules, limit: surroundings.uploadLimit)
    }

    /// A tree may be of a million documents: it lies in a temporary file that has no name.
    static let scratch: @Sendable () throws -> any SyncStorage = { try SQLiteStorage(path: "") }
}
