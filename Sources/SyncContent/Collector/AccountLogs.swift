package import SyncLog

/// An account's logs, each read to its end when it is asked for.
package protocol AccountLogs: Sendable {
    /// A log's tree, with all that the store had of the log when this was called. The notes beside it may be
    /// written.
    /// - Throws: `.unreadable` where the log cannot be read to its end.
    func tree(of log: LogName) async throws(CollectionError) -> any TreeDatabase
}
