internal import CloudStore
internal import Posix
internal import StoreBasics
internal import SyncContent
package import SyncLog

/// What others did to a key-value store, as `NSUbiquitousKeyValueStoreDidChangeExternally` tells it.
package struct KeyValueChange: Equatable, Sendable {
    /// The numbers are iOS's.
    package enum Reason: Int, Sendable {
        case server = 0
        case initialSync = 1
        case quotaViolation = 2
        case accountChange = 3
    }

    package var reason: Reason
    /// Ascending.
    package var keys: [KeyName]
}

/// Brings a key-value store into step with its log: reads what others set, and sends what was set here, a
/// batch for all that waits.
actor KeyValueSync {
    let log: LogClient
    let storage: any SyncStorage
    private let surroundings: SyncSurroundings
    private let told: @Sendable (KeyValueChange) -> Void

    /// - Parameter told: what others changed; never what was set here.
    init(
        _ name: ContainerName, account: Account, storage: any SyncStorage, surroundings: SyncSurroundings,
        told: @escaping @Sendable (KeyValueChange) -> Void
    ) {
        self.storage = storage
        self.surroundings = surroundings
        self.told = told
        log = LogClient(
            name: .keyValues(name), app: nil, account: account, storage: storage, surroundings: surroundings)
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        surroundings.executor.asUnownedSerialExecutor()
    }

    /// Reads the log to its end, and sends what waits.
    func sync() async throws(SyncFailure) {
        try log.open()
        let isFirst = try storage.reading { try $0.keyValueClock().offset } == nil
        let before = try storage.reading { try $0.keyValues(after: nil, limit: .max) }
        try await log.push()
        try settle(isFirst: isFirst)
        try tell(since: before, isFirst: isFirst)
        try await send()
    }

    /// The store was heard: its clock is known, and at the first time what the account has.
    private func settle(isFirst: Bool) throws(SyncFailure) {
        guard let date = log.lastDate.value else { return }
        let wall = surroundings.clock.wallTime() / 1_000_000
        try storage.writing { transaction in
            var clock = try transaction.keyValueClock()
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
        }
    }

    private func tell(since before: [KeyValueRecord], isFirst: Bool) throws(SyncFailure) {
        let known = Dictionary(before.map { ($0.key, $0) }, uniquingKeysWith: { $1 })
        let keys = try storage.reading { transaction in
            let own = try transaction.journal()?.device
            return try transaction.keyValues(after: nil, limit: .max).filter { record in
                guard record != known[record.key], record.device != own else { return false }
                // What is set here and later still counts, and nothing changed for who looks.
                return try transaction.keyValueShown(record.key) == record
                    && record.value != known[record.key]?.value
            }.map(\.key)
        }
        if !keys.isEmpty { told(KeyValueChange(reason: isFirst ? .initialSync : .server, keys: keys)) }
    }

    private func send() async throws(SyncFailure) {
        let pending = try storage.reading { try $0.pendingKeyValues() }
        guard !pending.isEmpty else { return }
        try log.freeze(
            pending.map {
                .keyValue(KeyValueOperation(key: $0.key, value: $0.value, stamp: $0.stamp))
            })
        let before = try storage.reading { try $0.keyValues(after: nil, limit: .max) }
        try await log.push()
        try storage.writing { transaction in
            // What was set again meanwhile is told later.
            for sent in pending where try transaction.pendingKeyValue(sent.key) == sent {
                try transaction.removePendingKeyValue(sent.key)
            }
        }
        try tell(since: before, isFirst: false)
    }
}
