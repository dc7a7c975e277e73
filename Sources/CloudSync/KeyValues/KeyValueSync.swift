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
    var mayBeBehind = true
    private var pace = KeyValuePace()
    /// When the store's date was heard last.
    private var datedAt: UInt64?
    /// What was told last; nil: nothing was looked at yet.
    private var told: Told?
    private(set) var trouble: SyncTrouble?
    var retryAt: UInt64?
    var backoff = Backoff.round
    let turn = Turn()
    var underWay: Task<Result<Bool, SyncFailure>, Never>?
    var isRemoved = false

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

    /// Does what is to be done now, and remembers what stopped it. After trouble nothing is tried before its
    /// time, unless `isUrgent`: a person asked.
    func round(isUrgent: Bool = false) async -> SyncRound {
        await turn.take()
        defer { turn.give() }
        guard !isRemoved else { return SyncRound() }
        if !isUrgent {
            if let retryAt, surroundings.clock.now() < retryAt { return SyncRound(wakeAt: retryAt) }
            if storage.isPaused { return SyncRound() }
        }
        do throws(SyncFailure) {
            let isProgress = try await workUntilStopped(isUrgent)
            (trouble, retryAt) = (nil, nil)
            backoff.reset()
            let isLeft = try hasPending
            return SyncRound(
                isProgress: isProgress, isUpToDate: !isLeft && !mayBeBehind,
                wakeAt: isLeft ? pace.next : nil)
        } catch {
            // A batch may be in flight.
            mayBeBehind = true
            guard case .trouble(let found) = error else { return SyncRound() }
            trouble = found
            return retry(after: found, isUrgent)
        }
    }

    /// - Returns: whether anything was done.
    func work(_ isUrgent: Bool) async throws(SyncFailure) -> Bool {
        let mustSend = try hasPending && (isUrgent || surroundings.clock.now() >= pace.next)
        guard mayBeBehind || mustSend else { return false }
        let before = try storage.reading { try $0.treeCursor() }
        try log.open()
        // A commit's time is the store's last answer, which must not be an old one.
        if mayBeBehind || !isDated { try await read() }
        if mustSend { try await send() }
        let after = try storage.reading { try $0.treeCursor() }
        return mustSend || after != before
    }

    /// So long an answer's date is as good as a new one.
    private static let datedNanoseconds: UInt64 = 1_000_000_000

    private var isDated: Bool {
        datedAt.map { surroundings.clock.now() < $0 &+ Self.datedNanoseconds } ?? false
    }

    /// Whether a date would spare it a question of its own.
    var wantsDate: Bool {
        let now = surroundings.clock.now()
        guard !isDated, told != nil, now >= max(pace.next, retryAt ?? 0), !storage.isPaused else {
            return false
        }
        return (try? hasPending) ?? false
    }

    /// The store's date, of an answer to what was asked at that moment.
    func hear(_ date: StoreTime?, askedAt moment: UInt64) {
        guard let date else { return }
        log.lastDate.hear(date)
        datedAt = moment
    }

    private var hasPending: Bool {
        get throws(SyncFailure) { try storage.reading { try !$0.pendingKeyValues().isEmpty } }
    }
}

extension KeyValueSync {
    /// What whoever looks was shown or told of.
    private struct Told {
        var records: [KeyName: KeyValueRecord]
        /// More is set than may be.
        var isOverLimit: Bool
        /// The store was never heard.
        var isFirst: Bool
    }

    /// Reads the log to its end, with what is in flight.
    private func read() async throws(SyncFailure) {
        if told == nil { told = try shownNow() }
        // What is heard meanwhile is read in the next round.
        mayBeBehind = false
        try await push()
        try settle()
        try tell()
    }

    private func send() async throws(SyncFailure) {
        let pending = try storage.reading { try $0.pendingKeyValues() }
        // The account may have had all of it.
        guard !pending.isEmpty else { return attached.told(.sent) }
        pace.noteSend(at: surroundings.clock.now())
        try log.freeze(
            pending.map { .keyValue(KeyValueOperation(key: $0.key, value: $0.value, stamp: $0.stamp)) })
        try await push(isRead: true)
        try settle()
        try tell()
        if try !hasPending { attached.told(.sent) }
    }

    /// Brings what is in flight into the log; then it does not wait any more.
    private func push(isRead: Bool = false) async throws(SyncFailure) {
        let batches = try storage.reading { try $0.batchesInFlight() }
        try await log.push(isRead: isRead)
        try storage.writing { transaction in
            for case .keyValue(let sent) in batches.flatMap(\.operations) {
                // What was set again meanwhile is told later.
                guard let pending = try transaction.pendingKeyValue(sent.key), pending.stamp == sent.stamp
                else { continue }
                try transaction.removePendingKeyValue(sent.key)
            }
        }
    }

    /// The store was heard: its clock is known, and at the first time what the account has.
    private func settle() throws(SyncFailure) {
        guard let date = log.lastDate.value else { return }
        let wall = surroundings.clock.wallTime() / 1_000_000
        try storage.writing { transaction in
            var clock = try transaction.keyValueClock()
            let (isFirst, offset) = (clock.offset == nil, date.seconds * 1000 - wall)
            // Dates are of whole seconds, cut off: the largest is the nearest.
            let isSame = clock.offset.map { abs($0 - offset) <= 1500 } ?? false
            clock.offset = isSame ? max(offset, clock.offset ?? offset) : offset
            if isFirst {
                // What it gave away was stamped by a clock that may be years off.
                clock.latest = KeyValueStamp(milliseconds: 0)
                try bringForward(by: offset, &clock, transaction)
            }
            for record in try transaction.keyValues(after: nil, limit: .max) { clock.hear(record.stamp) }
            try transaction.setKeyValueClock(clock)
        }
    }

    /// What was set before anything was heard goes up, where the account does not have the key.
    private func bringForward(
        by offset: Int64, _ clock: inout KeyValueClock, _ transaction: any SyncTransaction
    ) throws {
        for var pending in try transaction.pendingKeyValues() {
            if pending.isHeld, try transaction.keyValue(pending.key)?.value != nil {
                try transaction.removePendingKeyValue(pending.key)
                continue
            }
            pending.stamp.milliseconds = max(0, pending.stamp.milliseconds + offset)
            pending.isHeld = false
            clock.hear(pending.stamp)
            try transaction.setPendingKeyValue(pending)
        }
    }

    private func shownNow() throws(SyncFailure) -> Told {
        let (records, shown, clock) = try storage.reading { transaction in
            (
                try transaction.keyValues(after: nil, limit: .max), try transaction.keyValuesShown(),
                try transaction.keyValueClock()
            )
        }
        return Told(
            records: Dictionary(records.map { ($0.key, $0) }, uniquingKeysWith: { $1 }),
            isOverLimit: attached.isOverLimit(shown), isFirst: clock.offset == nil)
    }

    private func tell() throws(SyncFailure) {
        let now = try shownNow()
        guard let before = told else { return }
        let keys = try storage.reading { transaction in
            let own = try transaction.journal()?.device
            return try Set(before.records.keys).union(now.records.keys).filter { key in
                let (old, new) = (before.records[key], now.records[key])
                guard old?.value != new?.value, new == nil || new?.device != own else { return false }
                // What is set here and later still counts, and nothing changed for who looks.
                return try transaction.keyValueShown(key) == new
            }
        }
        told = now
        guard !keys.isEmpty else { return }
        let isMuch = now.isOverLimit && !before.isOverLimit
        let reason: KeyValueChange.Reason =
            before.isFirst ? .initialSync : isMuch ? .quotaViolation : .server
        attached.told(.changed(KeyValueChange(reason: reason, keys: keys.sorted())))
    }
}

extension KeyValueSync: SyncedLog {
    func readToEnd() async throws(SyncFailure) -> any SyncStorage {
        await turn.take()
        defer { turn.give() }
        guard !isRemoved else { throw .ended }
        try log.open()
        try await read()
        return storage
    }
}
