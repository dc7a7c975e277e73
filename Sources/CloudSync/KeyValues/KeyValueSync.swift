internal import CloudStore
internal import Posix
internal import StoreBasics
internal import SyncContent
internal import SyncLog

/// Brings a key-value store into step with its log: reads what others set, and sends what was set here, a
/// batch for all that waits.
actor KeyValueSync {
    let log: LogClient
    let upkeep: LogUpkeep
    let storage: any SyncStorage
    let surroundings: SyncSurroundings
    private let attached: AttachedKeyValues

    /// The log may have more than was read; true at the start.
    private var mayBeBehind = true
    private var pace = KeyValuePace()
    /// More is set than may be, as it was told last.
    private var isOverLimit: Bool?
    private(set) var trouble: SyncTrouble?
    private(set) var retryAt: UInt64?
    private var backoff = Backoff.round
    private let turn = Turn()
    private var underWay: Task<Result<Bool, SyncFailure>, Never>?
    private var isRemoved = false

    init(_ attached: AttachedKeyValues, account: Account, surroundings: SyncSurroundings) {
        self.attached = attached
        self.surroundings = surroundings
        storage = attached.storage
        log = LogClient(
            name: .keyValues(account.layout.keyValueStore(attached.identifier)), app: nil, account: account,
            storage: attached.storage, surroundings: surroundings)
        upkeep = LogUpkeep(
            log,
            writer: ContentWriter(
                account, clock: surroundings.clock, randomness: surroundings.randomness,
                rules: surroundings.rules, limit: surroundings.uploadLimit))
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        surroundings.executor.asUnownedSerialExecutor()
    }

    /// Ends the round that is under way without waiting for the store, and lets no other begin.
    func stop() async {
        isRemoved = true
        underWay?.cancel()
        await upkeep.stop()
    }

    /// Returns when no round is under way, nor anything beside it.
    func waitForEnd() async {
        await turn.take()
        turn.give()
        await upkeep.waitForEnd()
    }

    /// Does what is to be done now, and remembers what stopped it. After trouble nothing is tried before its
    /// time, unless `isUrgent`: a person asked.
    func round(isUrgent: Bool = false) async -> SyncRound {
        await turn.take()
        defer { turn.give() }
        guard !isRemoved else { return SyncRound() }
        if !isUrgent, let retryAt, surroundings.clock.now() < retryAt { return SyncRound(wakeAt: retryAt) }
        do throws(SyncFailure) {
            let isProgress = try await untilStopped(isUrgent)
            (trouble, retryAt) = (nil, nil)
            backoff.reset()
            let isLeft = try hasPending
            return SyncRound(
                isProgress: isProgress, isUpToDate: !isLeft && !mayBeBehind,
                wakeAt: isLeft ? pace.next : nil)
        } catch {
            guard case .trouble(let found) = error else { return SyncRound() }
            trouble = found
            if isUrgent { backoff.reset() }
            let wait = min(backoff.next(surroundings.randomness), found.longestWait)
            retryAt = surroundings.clock.now() &+ wait
            return SyncRound(wakeAt: retryAt)
        }
    }

    /// What the store is asked just then is given up by `stop`; a batch in flight is looked for in the log
    /// when sync begins again, as after a crash.
    private func untilStopped(_ isUrgent: Bool) async throws(SyncFailure) -> Bool {
        let task = Task(executorPreference: surroundings.executor) { () async -> Result<Bool, SyncFailure> in
            do throws(SyncFailure) { return .success(try await self.work(isUrgent)) } catch {
                return .failure(error)
            }
        }
        underWay = task
        defer { underWay = nil }
        let result = await task.joined().get()
        if isRemoved { throw .ended }
        return try result.get()
    }

    /// - Returns: whether anything was done.
    private func work(_ isUrgent: Bool) async throws(SyncFailure) -> Bool {
        let mustSend = try hasPending && (isUrgent || surroundings.clock.now() >= pace.next)
        guard mayBeBehind || mustSend else { return false }
        let before = try storage.reading { try $0.treeCursor() }
        try log.open()
        if mayBeBehind { try await read() }
        if mustSend { try await send() }
        let after = try storage.reading { try $0.treeCursor() }
        return mustSend || after != before
    }

    private var hasPending: Bool {
        get throws(SyncFailure) { try storage.reading { try !$0.pendingKeyValues().isEmpty } }
    }
}

extension KeyValueSync {
    /// Reads the log to its end, with what is in flight.
    private func read() async throws(SyncFailure) {
        let before = try seen()
        // What is heard meanwhile is read in the next round.
        mayBeBehind = false
        do throws(SyncFailure) {
            try await log.push()
        } catch {
            mayBeBehind = true
            throw error
        }
        let isFirst = try settle()
        try tell(since: before, isFirst: isFirst)
    }

    /// The store was heard: its clock is known, and at the first time what the account has.
    /// - Returns: whether this was the first time.
    private func settle() throws(SyncFailure) -> Bool {
        guard let date = log.lastDate.value else { return false }
        let wall = surroundings.clock.wallTime() / 1_000_000
        return try storage.writing { transaction in
            var clock = try transaction.keyValueClock()
            let isFirst = clock.offset == nil
            let offset = date.seconds * 1000 - wall
            // Dates are of whole seconds.
            if clock.offset.map({ abs($0 - offset) > 1500 }) ?? true { clock.offset = offset }
            for record in try transaction.keyValues(after: nil, limit: .max) { clock.hear(record.stamp) }
            for var pending in isFirst ? try transaction.pendingKeyValues() : [] {
                if pending.isHeld, try transaction.keyValue(pending.key)?.value != nil {
                    try transaction.removePendingKeyValue(pending.key)
                    continue
                }
                // It was stamped by a clock that may be years off.
                pending.stamp.milliseconds = max(0, pending.stamp.milliseconds + offset)
                pending.isHeld = false
                try transaction.setPendingKeyValue(pending)
            }
            try transaction.setKeyValueClock(clock)
            return isFirst
        }
    }

    private struct Seen {
        var records: [KeyName: KeyValueRecord]
        var own: DeviceID?
    }

    private func seen() throws(SyncFailure) -> Seen {
        try storage.reading { transaction in
            let records = try transaction.keyValues(after: nil, limit: .max)
            return Seen(
                records: Dictionary(records.map { ($0.key, $0) }, uniquingKeysWith: { $1 }),
                own: try transaction.journal()?.device)
        }
    }

    private func tell(since before: Seen, isFirst: Bool) throws(SyncFailure) {
        let after = try seen()
        let (keys, shown) = try storage.reading { transaction in
            let changed = after.records.values.filter { record in
                let old = before.records[record.key]
                return record != old && record.device != after.own && record.value != old?.value
            }
            // What is set here and later still counts, and nothing changed for who looks.
            let seen = try changed.filter { try transaction.keyValueShown($0.key) == $0 }.map(\.key)
            return (seen.sorted(), try transaction.keyValuesShown())
        }
        let isOver = attached.isOverLimit(shown)
        defer { isOverLimit = isOver }
        guard !keys.isEmpty else { return }
        let reason: KeyValueChange.Reason =
            isFirst ? .initialSync : isOver && isOverLimit == false ? .quotaViolation : .server
        attached.told(.changed(KeyValueChange(reason: reason, keys: keys)))
    }

    private func send() async throws(SyncFailure) {
        let pending = try storage.reading { try $0.pendingKeyValues() }
        // The account may have had all of it.
        guard !pending.isEmpty else { return attached.told(.sent) }
        pace.noteSend(at: surroundings.clock.now())
        try log.freeze(
            pending.map { .keyValue(KeyValueOperation(key: $0.key, value: $0.value, stamp: $0.stamp)) })
        let before = try seen()
        try await log.push(isRead: true)
        try storage.writing { transaction in
            // What was set again meanwhile is told later.
            for sent in pending where try transaction.pendingKeyValue(sent.key) == sent {
                try transaction.removePendingKeyValue(sent.key)
            }
        }
        try tell(since: before, isFirst: false)
        if try !hasPending { attached.told(.sent) }
    }
}

extension KeyValueSync: SyncedLog {
    func expectNews() { mayBeBehind = true }

    func storeIsThere() {
        if trouble?.isAbsence == true { retryAt = nil }
    }

    func readToEnd() async throws(SyncFailure) -> any SyncStorage {
        await turn.take()
        defer { turn.give() }
        guard !isRemoved else { throw .ended }
        try log.open()
        try await read()
        return storage
    }
}
