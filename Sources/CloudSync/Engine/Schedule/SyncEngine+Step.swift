internal import SandboxRules
internal import SyncContent
internal import SyncLog

extension SyncEngine {
    /// A round of a busy app ends after a moment, so that the others get their turn; so many rounds, or so
    /// long, make a step, after which the caller is asked again.
    private static let roundsInStep = 64
    private static let roundsNanoseconds: UInt64 = 500_000_000

    /// Does all that can be done now, for one app or all: what changed there comes down, what changed here
    /// goes up. Never throws: `SyncRest.trouble` says what stopped it.
    package func step(_ identifier: String? = nil) async -> SyncRest {
        await withTaskExecutorPreference(surroundings.executor) {
            await steps(identifier, isUrgent: false)
        }
    }

    /// One full sync of an app whether it is paused or not, and whatever failed just before (`cloud sync`).
    package func syncOnce(_ identifier: String) async -> SyncRest {
        await withTaskExecutorPreference(surroundings.executor) {
            await containers[identifier]?.expectNews()
            return await steps(identifier, isUrgent: true)
        }
    }

    private func steps(_ identifier: String?, isUrgent: Bool) async -> SyncRest {
        if let wakeAt = await prepare(isUrgent) {
            await showAll()
            return SyncRest(wakeAt: wakeAt, isUpToDate: false, trouble: trouble)
        }
        var moments = [retryAt ?? schedule.next]
        var isUpToDate = true
        var first = trouble
        for keyValues in identifier == nil || isUrgent ? sortedKeyValues : [] {
            // Who only wants the account opened has asked for no sync.
            let round = await keyValues.round(isUrgent: isUrgent && identifier != "")
            if round.isProgress { schedule.noteKeyValues(at: surroundings.clock.now()) }
            isUpToDate = isUpToDate && round.isUpToDate
            moments.append(round.wakeAt)
            let found = await keyValues.trouble
            first = first ?? found
        }
        for (index, container) in chosen(identifier).enumerated() {
            // What the others did is told before what takes long.
            if index > 0, busy.contains(container.app.identifier) { await tell() }
            let round = await rounds(of: container, isUrgent)
            isUpToDate = isUpToDate && round.isUpToDate
            note(container, isBusy: round.isProgress)
            moments.append(round.wakeAt)
            let found = await container.trouble
            first = first ?? found
        }
        await tell()
        await showAll()
        return SyncRest(wakeAt: moments.compactMap(\.self).min(), isUpToDate: isUpToDate, trouble: first)
    }

    /// In the order of identifiers, so that the same seed does the same.
    var sortedContainers: [ContainerSync] { containers.sorted { $0.key < $1.key }.map(\.value) }

    private var sortedKeyValues: [KeyValueSync] { keyValues.sorted { $0.key < $1.key }.map(\.value) }

    /// All of apps and key-value stores.
    var syncedLogs: [any SyncedLog] { sortedContainers + sortedKeyValues }

    /// Who was not done in the last step comes last: what the others have takes a moment.
    private func chosen(_ identifier: String?) -> [ContainerSync] {
        if let identifier { return containers[identifier].map { [$0] } ?? [] }
        let all = sortedContainers
        return all.filter { !busy.contains($0.app.identifier) }
            + all.filter { busy.contains($0.app.identifier) }
    }

    private func note(_ container: ContainerSync, isBusy: Bool) {
        if isBusy {
            busy.insert(container.app.identifier)
            schedule.noteBusy(at: surroundings.clock.now())
        } else {
            busy.remove(container.app.identifier)
        }
    }

    private func rounds(of container: ContainerSync, _ isUrgent: Bool) async -> SyncRound {
        let end = surroundings.clock.now() &+ Self.roundsNanoseconds
        var round = await container.round(isUrgent: isUrgent)
        for _ in 1..<Self.roundsInStep where round.isProgress && !Task.isCancelled {
            // A person who asks waits for this app alone.
            guard isUrgent || surroundings.clock.now() < end else { break }
            schedule.noteChange(at: surroundings.clock.now())
            round = await container.round(isUrgent: isUrgent)
        }
        if round.isProgress { round.wakeAt = surroundings.clock.now() }
        return round
    }

    // MARK: What is the account's

    /// Opens the account, reads its log, asks for news.
    /// - Returns: when to try again, where the account could not be opened; nil: go on.
    private func prepare(_ isUrgent: Bool) async -> UInt64? {
        await accountTurn.take()
        defer { accountTurn.give() }
        if !isUrgent, let retryAt, surroundings.clock.now() < retryAt {
            return session == nil ? retryAt : nil
        }
        do throws(SyncFailure) {
            try await open()
            makeContainers()
            try await poll()
            try await announce()
            (trouble, retryAt) = (nil, nil)
            backoff.reset()
        } catch {
            guard case .trouble(let found) = error else { return surroundings.clock.now() }
            trouble = found
            if isUrgent { backoff.reset() }
            retryAt = surroundings.clock.now() &+ backoff.next(surroundings.randomness)
        }
        return session == nil ? retryAt : nil
    }

    private func open() async throws(SyncFailure) {
        guard session == nil else { return }
        let account: Account
        do {
            account = try await Account.open(
                surroundings.store, randomness: surroundings.randomness,
                sizes: surroundings.settings.contentSizes)
        } catch {
            throw SyncFailure(error)
        }
        try settle(account.format.identity)
        let session = AccountSession(
            account: account, storage: storage, surroundings: surroundings, readUsage: usageSignal)
        try session.log.log.open()
        self.session = session
        showUpkeep()
    }

    /// What was remembered of another account's documents says nothing of this one's.
    private func settle(_ identity: AccountIdentity) throws(SyncFailure) {
        guard let known = try storage.reading({ try $0.accountIdentity() }) else {
            return try storage.writing { try $0.setAccountIdentity(identity) }
        }
        if known != identity { throw .trouble(.otherAccount) }
    }

    func makeContainers() {
        guard let account = session?.account, let quota = session?.quota else { return }
        for (identifier, attached) in attached.sorted(by: { $0.key < $1.key })
        where containers[identifier] == nil {
            guard let bundle = BundleIdentifier(identifier) else { continue }
            let container = ContainerSync(
                app: attached.app, name: account.layout.container(bundle), disk: attached.disk,
                storage: attached.storage, account: account, quota: quota, surroundings: surroundings,
                board: board)
            board.show(sent: container.sent, got: container.got, of: identifier)
            containers[identifier] = container
        }
        makeKeyValues()
    }

    /// The account's log, when it has news or we have.
    private func announce() async throws(SyncFailure) {
        guard let session, session.mayBeBehind || !session.isAnnounced else { return }
        // Before it is done: news and apps that come meanwhile are not done with this.
        self.session?.mayBeBehind = false
        self.session?.isAnnounced = true
        do throws(SyncFailure) {
            try await session.log.synchronise(attached.sorted { $0.key < $1.key }.map(\.value.app))
        } catch {
            self.session?.isAnnounced = false
            throw error
        }
    }
}
