package import SyncContent
package import SyncLog

/// What a person asks of the engine.
extension SyncEngine {
    /// As `status`, without waiting for what the engine does just now: as it was when that began.
    package nonisolated func shownStatus(_ identifier: String) -> SyncStatus? { board.status(of: identifier) }

    /// How the account stands, the same way; nil where it was not opened yet.
    package nonisolated var shownAccount: SyncStanding? { board.account }

    /// How this device looks after the store, without waiting.
    package nonisolated var shownUpkeep: UpkeepStatus { board.upkeep }
    func showAccount() {
        guard session != nil else { return }
        board.show(account: SyncStanding(trouble: trouble, gap: surroundings.time.gap))
    }

    func showAll() async {
        showAccount()
        for identifier in attached.keys {
            if let status = await status(identifier) { board.show(status, of: identifier) }
        }
    }

    package func status(_ identifier: String) async -> SyncStatus? {
        guard let container = containers[identifier] else {
            guard attached[identifier] != nil else { return nil }
            var status = SyncStatus()
            status.trouble = trouble
            return status
        }
        var status = await container.status()
        status.trouble = trouble ?? status.trouble
        return status
    }

    /// Opens the account where that was not done yet, for at most so long.
    /// - Returns: what keeps it from being opened, or from going on; nil where nothing is known to.
    package func look(until end: UInt64) async -> SyncTrouble? {
        guard session == nil else { return trouble }
        await race(until: end) { _ = try? await self.openAccount() }
        return trouble ?? (session == nil ? .storeSlow : nil)
    }

    package func pause(_ identifier: String) async throws(SyncTrouble) {
        try await setPaused(true, identifier)
    }

    package func resume(_ identifier: String) async throws(SyncTrouble) {
        try await setPaused(false, identifier)
    }

    private func setPaused(_ isPaused: Bool, _ identifier: String) async throws(SyncTrouble) {
        do {
            // Where the store was not reached yet there is no container, and a person is obeyed all the same.
            if containers[identifier] == nil, let storage = attached[identifier]?.storage,
                try storage.setPaused(isPaused)
            {
                return wake()
            }
        } catch {
            throw error.plain
        }
        try await change(identifier) { container async throws(SyncFailure) in
            try await container.setPaused(isPaused)
        }
    }

    /// Lets the deletes that are held go up with the next step.
    package func confirmDeletes(_ identifier: String) async throws(SyncTrouble) {
        try await change(identifier) { container async throws(SyncFailure) in
            try await container.confirmDeletes()
        }
    }

    /// Ends a conflict as a person chose.
    /// - Parameter shown: revisions of the contents that the person was shown: no other one goes.
    package func resolve(
        _ identifier: String, _ file: FileID, keeping choice: ConflictChoice, shown: Set<Revision>
    ) async throws(SyncTrouble) -> ConflictOutcome {
        var outcome = ConflictOutcome.overtaken
        try await change(identifier) { container async throws(SyncFailure) in
            outcome = try await container.resolve(file, choice, shown: shown)
        }
        return outcome
    }

    /// Brings back what items had.
    /// - Throws: `SyncTrouble`, or `RefusedRestoration` and then nothing was changed.
    package func restore(_ identifier: String, _ targets: [RestorationTarget]) async throws
        -> RestorationOutcome
    {
        var result: Result<RestorationOutcome, RefusedRestoration> = .success(RestorationOutcome())
        try await change(identifier) { container async throws(SyncFailure) in
            result = try await container.restore(targets)
        }
        return try result.get()
    }

    /// Deletes what the cloud has at a path below Documents.
    /// - Returns: how many items; 0 where nothing is there.
    package func remove(_ identifier: String, at names: [String]) async throws(SyncTrouble) -> Int {
        var count = 0
        try await change(identifier) { container async throws(SyncFailure) in
            count = try await container.remove(names)
        }
        return count
    }

    /// Ends the retention of what these items had and have no more.
    /// - Returns: what came of it, by the log as this device has it after that.
    package func endHistory(
        _ identifier: String, of files: [FileID]
    ) async throws(SyncTrouble) -> EndedRetention {
        var ended = EndedRetention()
        for start in stride(from: 0, to: files.count, by: Self.itemsAtOnce) {
            let part = files[start..<min(start + Self.itemsAtOnce, files.count)]
            try await change(identifier) { container async throws(SyncFailure) in
                ended.add(try await container.endHistory(of: part))
            }
        }
        return ended
    }

    /// Far below what an entry of the log may hold.
    private static let itemsAtOnce = 20_000

    private func change(
        _ identifier: String, _ change: (ContainerSync) async throws(SyncFailure) -> Void
    ) async throws(SyncTrouble) {
        if containers[identifier] == nil { _ = try await openAccount() }
        makeContainers()
        guard let container = containers[identifier] else {
            throw trouble ?? .storeAway("the account was not opened yet")
        }
        do {
            try await change(container)
        } catch {
            throw error.plain
        }
        await showAll()
        wake()
    }

    /// Finishes the uploads already begun, until the moment by `SyncClock.now` (`unmount`).
    /// - Returns: what is left.
    package func finish(_ identifier: String, until end: UInt64) async -> SyncStatus {
        await race(until: end) { await self.finishUploads(identifier, until: end) }
        return await status(identifier) ?? SyncStatus()
    }

    private func finishUploads(_ identifier: String, until end: UInt64) async {
        while !Task.isCancelled {
            let rest = await step(identifier)
            let left = await status(identifier) ?? SyncStatus()
            guard left.pendingChanges > 0 || left.isRescanDue, let wakeAt = rest.wakeAt, wakeAt < end else {
                return
            }
            guard (try? await surroundings.clock.sleep(until: wakeAt)) != nil else { return }
        }
    }

    // MARK: The account

    /// All apps that the account's log knows, by identifier.
    package func apps() throws -> [SyncedApp] { try storage.read { try $0.accountApps() } }

    /// All devices that the account's log knows.
    package func devices() throws -> [AccountDevice] { try storage.read { try $0.accountDevices() } }

    /// Takes a device off the account's list; one that comes back is on it again.
    package func forget(_ device: DeviceID) async throws(SyncTrouble) {
        _ = try await openAccount()
        guard let session else { throw trouble ?? .storeAway("the account was not opened yet") }
        await accountTurn.take()
        defer { accountTurn.give() }
        do {
            try await session.log.forget(device)
        } catch {
            throw error.plain
        }
        // What it told of itself only misleads from now on; what cannot be removed does no harm.
        try? await removeNotes(of: device)
    }
}

extension SyncStorage {
    /// Whether a person paused what it is of.
    var isPaused: Bool { (try? reading { try $0.journal()?.isPaused }) == true }

    /// - Returns: false in a storage that was never used.
    @discardableResult
    func setPaused(_ isPaused: Bool) throws(SyncFailure) -> Bool {
        try writing { transaction in
            guard var journal = try transaction.journal() else { return false }
            journal.isPaused = isPaused
            try transaction.setJournal(journal)
            return true
        }
    }
}
