internal import Posix
internal import SyncContent

/// What the account's other apps take of its quota: those of this device by its own trees, all others by what
/// the store tells. That is kept, and read again now and then while something is to be sent.
final class AccountQuota: Sendable {
    private static let second: UInt64 = 1_000_000_000
    /// What the store tells is believed so long; not so long where it keeps something from being sent.
    private static let fresh = 3600 * second
    private static let freshWhenFull = 300 * second
    /// So long after one reading was begun no other is: it may have failed.
    private static let pause = 60 * second

    private struct State {
        /// Nil where the store was never asked.
        var usage: AccountUsage?
        /// When the reading began that `usage` is of; nil where it is of an earlier run.
        var readAt: UInt64?
        /// When one was last begun, or asked for.
        var triedAt: UInt64?
        /// Of the apps that this device syncs now or did before.
        var own: [ContainerName: UInt64] = [:]

        func isOld(_ age: UInt64, at now: UInt64) -> Bool {
            (readAt.map { now >= $0 &+ age } ?? true)
                && (triedAt.map { now >= $0 &+ AccountQuota.pause } ?? true)
        }
    }

    private let account: Account
    private let storage: any SyncStorage
    private let clock: any SyncClock
    private let readAgain: WakeSignal
    /// Leaf.
    private let state: Lock<State>

    /// - Parameters:
    ///   - storage: the account's.
    ///   - readAgain: wakes whoever calls `refresh` beside what is sent.
    init(_ account: Account, storage: any SyncStorage, clock: any SyncClock, readAgain: WakeSignal) {
        self.account = account
        self.storage = storage
        self.clock = clock
        self.readAgain = readAgain
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
        let age = bytes > known ? Self.freshWhenFull : Self.fresh
        let (isKnown, isOld) = state.withLock { ($0.usage != nil, $0.isOld(age, at: now)) }
        if isOld {
            // Of an account with many apps this takes a while.
            if isKnown, bytes <= known { refreshLater(now) } else { _ = try? await refresh() }
        }
        return room(of: container, own, limit)
    }

    /// Asks the store for all containers of the account.
    @discardableResult
    func refresh() async throws(CollectionError) -> AccountUsage {
        let now = clock.now()
        let known = state.withLock { state in
            state.triedAt = now
            return state.usage ?? AccountUsage()
        }
        let usage = try await AccountUsage.read(account, known: known)
        let isNewest = state.withLock { state in
            if let readAt = state.readAt, readAt > now { return false }
            (state.usage, state.readAt) = (usage, now)
            return true
        }
        // It is asked for again where it cannot be kept.
        if isNewest { try? storage.write { try $0.setUsage(usage) } }
        return usage
    }

    private func refreshLater(_ now: UInt64) {
        state.withLock { $0.triedAt = now }
        readAgain.signal()
    }

    private func room(of container: ContainerName, _ own: UInt64, _ limit: UInt64) -> UInt64 {
        let used = own.addingSaturated(otherBytes(than: container))
        return used > limit ? 0 : limit - used
    }
}
