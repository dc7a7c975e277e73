internal import CloudStore
internal import Posix

/// The store's date in its last answer: what the next commit says of its time.
final class LastDate: Sendable {
    private let state = Lock<StoreTime?>(nil)

    var value: StoreTime? { state.withLock { $0 } }
    func hear(_ date: StoreTime) { state.withLock { $0 = date } }
}
