internal import Posix
internal import SyncContent

/// What the account's other apps take of its quota: those of this device by its own trees, all others by what
/// the store tells. That is kept, and read again now and then while something is to be sent.
final class AccountQuota: Sendable {
    private static let second: UInt64 = 1_000_000_000
    /// What the store tells is believed so long; not so long where it keeps something from being sent.
    private static let fresh = 3600 * second
    private static let freshWhenFull = 300 * second

    private struct State {
        /// Nil where the store was never asked.
        var usage: AccountUsage?
        /// Nil where it was not asked in this run.
        var readAt: UInt64?
        var isRead = false
        /// Of the apps that this device syncs now or did before.
        var own: [ContainerName: UInt64] = [:]
    }

    private let account: Account
    private let storage: any SyncStorage
    private let executor: any EngineExecutor
    private let clock: any SyncClock
    /// Leaf.
    private let state: Lock<State>

    /// - Parameters:
    ///   - storage: the account's.
    ///   - executor: reads what the store tells beside what is sent.
    init(
        _ account: Account, storage: any SyncStorage, executor: any EngineExecutor, clock: any SyncClock
    ) {
        self.account = account
        self.storage = storage
        self.executor = executor
        self.clock = clock
        // What cannot be read is asked for.
        state = Lock(State(usage: try? storage.read { try $0.usage() }))
    }

    func note(_ bytes: UInt64, of container: ContainerName) {
        state.withLock { $0.own[container] = bytes }
    }

    /// As far as it is known without asking.
    func otherBytes(than container: ContainerName) -> UInt64 {
        state.withLock { ($0.usage ?? AccountUsage()).total(with: $0.own.merging([container: 0]) { $1 }) }
    }

    /// Bytes that may still be sent. Where the store does not answer, what was known counts: that it is away
    /// is found out by who sends.
    /// - Parameters:
    ///   - bytes: what is to be sent; only where that may not fit is the store asked first.
    ///   - own: what the asking app takes.
    func room(for bytes: UInt64, of container: ContainerName, own: UInt64, limit: UInt64) async -> UInt64 {
        note(own, of: container)
        let now = clock.now()
        let known = room(of: container, own, limit)
        let age = known == 0 ? Self.freshWhenFull : Self.fresh
        let (isKnown, readAt) = state.withLock { ($0.usage != nil, $0.readAt) }
        if readAt.map({ now >= $0 &+ age }) ?? true {
            // Of an account with many apps this takes a while.
            if isKnown, bytes <= known { refreshBeside() } else { _ = try? await refresh() }
        }
        return room(of: container, own, limit)
    }

    /// Asks the store for all containers of the account.
    @discardableResult
    func refresh() async throws(CollectionError) -> AccountUsage {
        let now = clock.now()
        let usage = try await AccountUsage.read(account, known: state.withLock { $0.usage } ?? AccountUsage())
        state.withLock {
            $0.usage = usage
            $0.readAt = now
        }
        // It is asked for again where it cannot be kept.
        try? storage.write { try $0.setUsage(usage) }
        return usage
    }

    private func refreshBeside() {
        let mayBegin = state.withLock { state in
            defer { state.isRead = true }
            return !state.isRead
        }
        guard mayBegin else { return }
        Task(executorPreference: executor) { @concurrent [self] in
            _ = try? await refresh()
            state.withLock { $0.isRead = false }
        }
    }

    private func room(of container: ContainerName, _ own: UInt64, _ limit: UInt64) -> UInt64 {
        let used = own.addingSaturated(otherBytes(than: container))
        return used > limit ? 0 : limit - used
    }
}
