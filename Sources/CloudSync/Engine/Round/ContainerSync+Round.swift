internal import SyncContent
internal import SyncLog

extension ContainerSync {
    /// Does one round, and remembers what stopped it. After trouble nothing is tried before its time, unless
    /// `isUrgent`: a person asked.
    func round(isUrgent: Bool = false) async -> SyncRound {
        await turn.take()
        defer { turn.give() }
        guard !isRemoved else { return SyncRound() }
        let now = surroundings.clock.now()
        if !isUrgent {
            if let retryAt, now < retryAt { return SyncRound(wakeAt: retryAt) }
            if storage.isPaused {
                takeChanges()
                return SyncRound()
            }
        }
        do throws(SyncFailure) {
            let isProgress = try await workUntilStopped(isUrgent)
            end(trouble: standing)
            retryAt = nil
            backoff.reset()
            return rest(isProgress)
        } catch {
            guard case .trouble(let trouble) = error else { return SyncRound() }
            end(trouble: trouble)
            return retry(after: trouble, isUrgent)
        }
    }

    /// - Returns: whether anything was done.
    func work(_ isUrgent: Bool) async throws(SyncFailure) -> Bool {
        try log.open()
        takeChanges(isUrgent: isUrgent)
        let before = try mark()
        try prepareDisk()
        let isAmidLog = try isAmidLog
        if mayBeBehind || isAmidLog {
            showBusy()
            // What a later version says is read, and nothing is said to it.
            let isWhole: Bool
            if try canWrite {
                isWhole = try await log.push(isOneTurn: true)
            } else {
                isWhole = try await log.pull(isOneTurn: true)
            }
            guard isWhole else { return true }
            mayBeBehind = false
            if try canWrite { try await prove() }
        }
        try beginDownload()
        guard try await exchange(isUrgent) else { return true }
        try await tellDropped()
        return try mark() != before
    }

    /// What others changed comes down, and what changed here goes up, for a moment: then it is the turn of
    /// what came meanwhile, and of other apps.
    /// - Returns: whether all that is pending was looked at.
    private func exchange(_ isUrgent: Bool) async throws(SyncFailure) -> Bool {
        exchangeEndsAt = surroundings.clock.now() &+ Self.exchangeNanoseconds
        var pass = pass ?? DownloadPass()
        repeat {
            if try await !downloadNews() { try await download(&pass) }
            guard !isRemoved else { throw .ended }
            self.pass = pass
            if try canWrite { try await sendChanges(isUrgent: isUrgent) }
        } while !pass.isComplete && surroundings.clock.now() < exchangeEndsAt
        guard pass.isComplete else { return false }
        self.pass = nil
        self.end(pass)
        return true
    }

    private static let exchangeNanoseconds: UInt64 = 500_000_000

    /// Others wait: what came in the log meanwhile, or whoever's turn is next.
    var mustEndSending: Bool { log.ahead.hasNews || surroundings.clock.now() >= exchangeEndsAt }

    /// Two equal ones with nothing in between: nothing was done.
    private struct Mark: Equatable {
        var head: TreeHead
        var pending: Int
        var touched: Touched
        var workDone: UInt64
    }

    private func mark() throws(SyncFailure) -> Mark {
        let (touched, workDone) = (touched, workDone)
        return try storage.reading { transaction in
            Mark(
                head: try transaction.treeHead(), pending: try transaction.pendingCount(), touched: touched,
                workDone: workDone)
        }
    }

    /// A batch is in flight, or the tree is between two slots.
    private var isAmidLog: Bool {
        get throws(SyncFailure) {
            try storage.reading { try $0.frozenBatch() != nil || $0.commitProgress() != nil }
        }
    }

    /// Nobody says anything to a log that says what this build does not understand.
    var canWrite: Bool {
        get throws(SyncFailure) { try storage.reading { try $0.unknownWords().isEmpty } }
    }

    /// What keeps some of it from going on though the round got to its end.
    private var standing: SyncTrouble? {
        if let word = try? storage.reading({ try $0.unknownWords().first }) { return .unknownFeature(word) }
        if let missing { return missing }
        if heldDeletes > 0 { return .deletesHeld(heldDeletes) }
        if let storeFull { return .storeFull(storeFull) }
        return isQuotaInTheWay ? .overQuota : nil
    }

    private func end(trouble new: SyncTrouble?) {
        guard new != trouble else { return }
        trouble = new
        report(new.map { .troubleBegan($0) } ?? .troubleEnded)
    }

    /// Takes up what apps changed; while they go on, not all the time.
    private func takeChanges(isUrgent: Bool) {
        let isTooSoon = !isUrgent && surroundings.clock.now() < pace.nextAt
        pacedUntil = isTooSoon ? pace.nextAt : nil
        if !isTooSoon { takeChanges() }
    }

    func lookAgain(_ more: Touched) {
        // What goes with its directory may be told a moment before that is, and then has no path.
        touched.removed.formUnion(more.removed)
        guard !more.isEmpty || more.hasDepartures else { return }
        touched.formUnion(more)
        hasNews = true
    }

    private func rest(_ isProgress: Bool) -> SyncRound {
        var moments: [UInt64] = []
        if let disk = disk.wakeAt { moments.append(disk) }
        // For what waits there: two apps of which something is left would wake each other without end.
        if let pacedUntil, hasNews || isPlanLeft || disk.hasChanges { moments.append(pacedUntil) }
        if let parksAgainAt { moments.append(parksAgainAt) }
        if let dropsAt { moments.append(dropsAt) }
        if let sendNotBefore { moments.append(sendNotBefore) }
        if changesLeft > 0 { moments.append(surroundings.clock.now()) }
        let pending = (try? storage.reading { try $0.pendingCount() }) ?? 0
        let isUpToDate = !isProgress && touched.isEmpty && pending == 0 && moments.isEmpty
        if pass != nil {
            // Whether it was progress is known at its end.
        } else if isProgress || isUpToDate {
            waiting.reset()
        } else if missing != nil || (moments.isEmpty && !isQuotaInTheWay && heldDeletes == 0) {
            // Something stands in the way and tells nothing when it goes.
            moments.append(surroundings.clock.now() &+ waiting.next(surroundings.randomness))
        }
        let wakeAt = moments.min().map { max($0, pacedUntil ?? 0) }
        return SyncRound(isProgress: isProgress, isUpToDate: isUpToDate, wakeAt: wakeAt)
    }
}

extension ContainerSync: SyncedLog {
    /// The rounds bring to the disk what it says.
    func readToEnd() async throws(SyncFailure) -> any SyncStorage {
        await turn.take()
        defer { turn.give() }
        guard !isRemoved else { throw .ended }
        try log.open()
        try await log.pull()
        return storage
    }
}
