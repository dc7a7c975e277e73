internal import CloudStore
internal import Posix
internal import StoreBasics
internal import SyncContent

/// The store's date in its last answer: what the next commit says of its time.
final class LastDate: Sendable {
    private let state = Lock<StoreTime?>(nil)

    var value: StoreTime? { state.withLock { $0 } }
    func hear(_ date: StoreTime) { state.withLock { $0 = date } }
}

/// Before when a log was read to its end.
final class LastReading: Sendable {
    private let state = Lock<StoreMoment?>(nil)

    var value: StoreMoment? { state.withLock { $0 } }
    func note(_ moment: StoreMoment) { state.withLock { $0 = moment } }
}
