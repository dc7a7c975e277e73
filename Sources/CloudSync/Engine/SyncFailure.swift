internal import CloudStore
internal import SyncContent

/// Why a round did not get to its end.
enum SyncFailure: Error, Equatable {
    case trouble(SyncTrouble)
    /// The engine is ending: unwind, and touch nothing more.
    case ended
}

extension SyncFailure {
    /// For those who asked from outside.
    var plain: SyncTrouble {
        switch self {
        case .trouble(let trouble): trouble
        case .ended: .ending
        }
    }

    init(_ error: AccountError) { self.init(SyncTrouble(error)) }
    init(_ error: StoreError) { self.init(SyncTrouble(error)) }
    init(_ error: LocalError) { self.init(SyncTrouble(error)) }
    init(_ error: ContentError) { self.init(SyncTrouble(error)) }

    private init(_ trouble: SyncTrouble?) {
        self = trouble.map { .trouble($0) } ?? .ended
    }

    /// For what works on storage, or on disk and storage together, throws.
    init(storage error: any Error) {
        switch error {
        case let failure as SyncFailure: self = failure
        case let error as LocalError: self.init(error)
        case is CancellationError: self = .ended
        default: self = .trouble(.disk("\(error)"))
        }
    }
}

extension SyncTrouble {
    /// Nanoseconds after which it is looked at again at the latest. An entry that was put back tells nothing
    /// by itself, in no store, so it is looked for as often as hints are.
    var longestWait: UInt64 {
        if case .logHole = self { PollSchedule.idleInterval } else { .max }
    }
}

extension SyncStorage {
    func reading<Result>(
        _ body: (any SyncTransaction) throws -> Result
    ) throws(SyncFailure) -> Result {
        do { return try read(body) } catch { throw SyncFailure(storage: error) }
    }

    func writing<Result>(
        _ body: (any SyncTransaction) throws -> Result
    ) throws(SyncFailure) -> Result {
        do { return try write(body) } catch { throw SyncFailure(storage: error) }
    }
}
