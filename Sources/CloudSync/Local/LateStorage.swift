internal import Posix

/// What sync has written down of an app, opened at the first look.
///
/// Sync's own connection is not used: the engine holds it while it plans, and as long as the disk takes.
package final class LateStorage: Sendable {
    private let open: @Sendable () throws -> any SyncStorage
    /// Held while it is opened, which only those wait for who look too.
    private let storage = Lock<(any SyncStorage)?>(nil)

    /// - Parameter open: opens what the engine writes.
    package init(_ open: @escaping @Sendable () throws -> any SyncStorage) { self.open = open }

    func read<Result>(_ body: (any SyncTransaction) throws -> Result) throws -> Result {
        try opened().read(body)
    }

    func write<Result>(_ body: (any SyncTransaction) throws -> Result) throws -> Result {
        try opened().write(body)
    }

    private func opened() throws -> any SyncStorage {
        try storage.withLock { storage in
            if let storage { return storage }
            let opened = try open()
            storage = opened
            return opened
        }
    }
}
