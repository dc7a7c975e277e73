internal import Posix
internal import SyncContent

/// What the account's other apps take of its quota: those of this device by its own trees, all others by what
/// the store tells, which is read again now and then while something is to be sent.
final class AccountQuota: Sendable {
    private static let second: UInt64 = 1_000_000_000
    /// What the store tells is believed so long; not so long where it keeps something from being sent.
    private static let fresh = 3600 * second
    private static let freshWhenFull = 300 * second

    private struct State {
        var usage = AccountUsage()
        var readAt: UInt64?
        /// Of the apps that this device syncs now or did before.
        var own: [ContainerName: UInt64] = [:]
    }

    private let account: Account
    private let clock: any SyncClock
    /// Leaf.
    private let state = Lock(State())

    init(_ account: Account, clock: any SyncClock) {
        self.account = account
        self.clock = clock
    }

    func note(_ bytes: UInt64, of container: ContainerName) {
        state.withLock { $0.own[container] = bytes }
    }

    /// As far as it is known without asking.
    func otherBytes(than container: ContainerName) -> UInt64 {
        state.withLock { $0.usage.total(with: $0.own.merging([container: 0]) { $1 }) }
    }

    /// Bytes that may still be sent. Where the store does not answer, what was known counts: that it is away
    /// is found out by who sends.
    /// - Parameter own: what the asking app takes.
    func room(for container: ContainerName, own: UInt64, of quota: UInt64) async -> UInt64 {
        note(own, of: container)
        let now = clock.now()
        let isFull = room(for: container, own, quota) == 0
        let limit = isFull ? Self.freshWhenFull : Self.fresh
        if state.withLock({ $0.readAt.map { now >= $0 &+ limit } ?? true }) { _ = try? await refresh() }
        return room(for: container, own, quota)
    }

    /// Asks the store for all containers of the account.
    @discardableResult
    func refresh() async throws(CollectionError) -> AccountUsage {
        let now = clock.now()
        let usage = try await AccountUsage.read(account, known: state.withLock { $0.usage })
        state.withLock {
            $0.usage = usage
            $0.readAt = now
        }
        return usage
    }

    private func room(for container: ContainerName, _ own: UInt64, _ quota: UInt64) -> UInt64 {
        let used = own.addingSaturated(otherBytes(than: container))
        return used > quota ? 0 : quota - used
    }
}
