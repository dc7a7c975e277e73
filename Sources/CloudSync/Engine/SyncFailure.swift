internal import CloudStore

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
        case .ended: .disk("the engine is ending")
        }
    }

    init(_ error: AccountError) {
        switch error {
        case .store(let error): self.init(error)
        case .unknownVersion(let version): self = .trouble(.unknownFormat("version \(version)"))
        case .unknownFeature(let name): self = .trouble(.unknownFeature(name))
        case .malformed(let what): self = .trouble(.storeLies(what))
        }
    }

    init(_ error: StoreError) {
        switch error {
        case .unreachable(let why), .unknownOutcome(let why): self = .trouble(.storeAway(why))
        case .undecided: self = .trouble(.storeSlow)
        case .clockSkewed: self = .trouble(.clockSkewed)
        case .unauthorized(let why): self = .trouble(.credentials(why))
        case .forbidden(let why): self = .trouble(.storeReadOnly(why))
        case .missing(let why): self = .trouble(.bucketMissing(why))
        case .unsupported(let why): self = .trouble(.storeUnfit(why))
        case .full(let why): self = .trouble(.storeFull(why))
        case .invalidAnswer(let why): self = .trouble(.storeLies(why))
        case .cancelled: self = .ended
        }
    }

    init(_ error: LocalError) {
        switch error {
        case .ended: self = .ended
        case .full: self = .trouble(.disk("no room"))
        case .failed(let number): self = .trouble(.disk("error \(number)"))
        case .gone, .changed, .inUse, .dataless: self = .trouble(.disk("files change while they are read"))
        }
    }

    init(_ error: ContentError) {
        switch error {
        case .store(let error): self.init(error)
        case .unavailable: self = .trouble(.storeLies("a chunk is missing"))
        case .wrongBytes: self = .trouble(.storeLies("a chunk"))
        case .wrongFile, .malformed: self = .trouble(.storeLies("a file"))
        case .occupied(let key): self = .trouble(.storeLies("\(key)"))
        case .changed: self = .trouble(.disk("files change while they are read"))
        case .local(let error): self.init(error)
        }
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
    /// What an error of the store, of contents or of the disk means to a person; nil for any other.
    public init?(_ error: any Error) {
        switch error {
        case let trouble as SyncTrouble: self = trouble
        case let error as StoreError: self = SyncFailure(error).plain
        case let error as AccountError: self = SyncFailure(error).plain
        case let error as ContentError: self = SyncFailure(error).plain
        case let error as LocalError: self = SyncFailure(error).plain
        case CollectionError.store(let error): self = SyncFailure(error).plain
        case CollectionError.content(let error): self = SyncFailure(error).plain
        default: return nil
        }
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
