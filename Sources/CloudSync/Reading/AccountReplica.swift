package import CloudStore
internal import Posix
package import SandboxRules
package import SyncContent
package import SyncLog

/// Which apps an account has, as its store tells it, for a machine that is no device of the account: the
/// account's own log in memory, and from there each app's. Nothing is written to the store.
package final class AccountReplica: Sendable {
    /// What was read last.
    package struct Apps: Sendable {
        /// By identifier.
        package var apps: [SyncedApp]
        /// Another number wherever the apps are others.
        package var revision: Int
    }

    private let reader: AccountReader
    private let log: LogClient
    private let refresh: LogRefresh
    private let known: Lock<Apps>

    /// Reads the account's own log to its end.
    /// - Returns: nil where the store has no account.
    /// - Throws: `SyncTrouble`.
    package static func open(in store: any ObjectStore) async throws(SyncTrouble) -> AccountReplica? {
        do {
            guard let account = try await found(in: store) else { return nil }
            let log = try LogClient(reading: account, .account)
            try await log.pull()
            return try AccountReplica(AccountReader(account), log)
        } catch { throw error.plain }
    }

    private static func found(in store: any ObjectStore) async throws(SyncFailure) -> Account? {
        do { return try await Account.existing(in: store) } catch { throw SyncFailure(error) }
    }

    private init(_ reader: AccountReader, _ log: LogClient) throws(SyncFailure) {
        self.reader = reader
        self.log = log
        refresh = LogRefresh(log)
        known = Lock(Apps(apps: try log.storage.reading { try $0.accountApps() }, revision: 0))
    }

    /// What is known; begins to read on where that was last done more than 5 seconds ago, and after a longer
    /// rest waits for it, for at most a second.
    /// - Parameter failed: told what went wrong; what is known stays.
    package func apps(_ failed: @escaping @Sendable (SyncTrouble) -> Void) -> Apps {
        refresh.look(failed) { [self] () throws(SyncFailure) in
            let apps = try log.storage.reading { try $0.accountApps() }
            known.withLock { known in
                if known.apps != apps { known = Apps(apps: apps, revision: known.revision + 1) }
            }
        }
        return known.withLock { $0 }
    }

    /// Reads an app's log to its end. All apps share what this one asks the store with.
    /// - Throws: `SyncTrouble`.
    package func documents(of app: BundleIdentifier) async throws(SyncTrouble) -> StoreReplica {
        try await StoreReplica.open(reader, app: app, on: log.surroundings.executor)
    }
}
