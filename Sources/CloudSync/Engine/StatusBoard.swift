internal import Posix

/// What each app's sync last said of itself, for whoever must not wait for the engine's thread: a file of
/// gigabytes is hashed there in one go, and many documents are planned together.
final class StatusBoard: Sendable {
    private let shown = Lock<[String: SyncStatus]>([:])

    func show(_ status: SyncStatus, of app: String) { shown.withLock { $0[app] = status } }

    func remove(_ app: String) { shown.withLock { $0[app] = nil } }

    /// Nil for an app that was not added.
    func status(of app: String) -> SyncStatus? { shown.withLock { $0[app] } }
}
