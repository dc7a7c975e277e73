internal import CloudStore
internal import Posix

/// How much of its quota an account uses: current contents and conflict versions of live items, no history
/// (SYNC.md 3).
public struct AccountUsage: Equatable, Sendable {
    /// By container, as its newest snapshot says, or a device that has read further.
    public var bytes: [ContainerName: UInt64] = [:]

    public init() {}

    /// - Parameter own: what this device's trees say, which are newer than any snapshot.
    public func total(with own: [ContainerName: UInt64] = [:]) -> UInt64 {
        // Sizes come from outside: a sum that is too large is over every quota.
        bytes.merging(own) { _, newer in newer }.values.reduce(0) { $0.addingSaturated($1) }
    }

    /// Asks for each container's newest snapshot and what its devices tell of it.
    /// - Throws: `.unreadable` where a snapshot cannot be read.
    static func read(_ account: Account) async throws(CollectionError) -> AccountUsage {
        var usage = AccountUsage()
        let roots = AccountRoots(account: account, rules: .all) { MemoryStorage() }
        for container in try await roots.containers() {
            usage.bytes[container] = try await bytes(of: container, account)
        }
        return usage
    }

    private static func bytes(
        of container: ContainerName, _ account: Account
    ) async throws(CollectionError) -> UInt64? {
        let told = try await CollectionError.store { () async throws(StoreError) in
            try await account.devices(of: container)
        }.map(\.note).max { ($0.cursor, $0.usedBytes) < ($1.cursor, $1.usedBytes) }
        let reader = SnapshotReader(account, log: .container(container))
        do {
            guard let newest = try await reader.list().value.last, newest.sequence > told?.cursor ?? 0 else {
                return told?.usedBytes
            }
            return try await reader.root(of: newest).usedBytes
        } catch {
            if case .content(.store(let failure)) = error { throw .store(failure) }
            throw .unreadable(container.hex, "\(error)")
        }
    }
}
