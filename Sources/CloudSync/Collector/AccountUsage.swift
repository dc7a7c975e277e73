internal import CloudStore

/// How much of its quota an account uses: current contents and conflict versions of live items, no history
/// (SYNC.md 3).
public struct AccountUsage: Equatable, Sendable {
    /// By container, as its newest snapshot says: up to a thousand commits old.
    public var bytes: [ContainerName: UInt64] = [:]

    public init() {}

    /// - Parameter own: what this device's trees say, which are newer than any snapshot.
    public func total(with own: [ContainerName: UInt64] = [:]) -> UInt64 {
        // Sizes come from outside: a sum that is too large is over every quota.
        bytes.merging(own) { _, newer in newer }.values.reduce(0) { sum, bytes in
            let next = sum.addingReportingOverflow(bytes)
            return next.overflow ? .max : next.partialValue
        }
    }

    /// Asks each container's newest snapshot: two requests each, and one for the list of containers.
    /// - Throws: `.unreadable` where one cannot be read.
    public static func read(_ account: Account) async throws(CollectionError) -> AccountUsage {
        var usage = AccountUsage()
        let roots = AccountRoots(account: account, rules: .all) { MemoryStorage() }
        for container in try await roots.containers() {
            let reader = SnapshotReader(account, log: .container(container))
            do {
                guard let newest = try await reader.list().value.last else { continue }
                usage.bytes[container] = try await reader.root(of: newest).usedBytes
            } catch {
                if case .content(.store(let failure)) = error { throw .store(failure) }
                throw .unreadable(container.hex, "\(error)")
            }
        }
        return usage
    }
}
