package import CloudStore

/// What keeps sync from going on. Local work goes on in each, and nothing is dropped.
package enum SyncTrouble: Error, Equatable, Sendable {
    case storeAway(String)
    case storeSlow
    /// Bytes that are not what was written.
    case storeLies(String)
    case storeFull(String)
    /// It does not know a request that sync needs, or does not keep the contract.
    case storeUnfit(String)
    case storeReadOnly(String)
    case credentials(String)
    case clockSkewed
    case bucketMissing(String)
    /// A slot below the newest one is empty, though no floor allows it.
    case logHole(UInt64)
    /// The log says at this entry that the tree should be another than this device's: one of them is wrong.
    case treeDiffers(UInt64)
    /// The store has another account than this device's documents are of.
    case otherAccount
    case unknownFormat(String)
    case unknownFeature(String)
    case overQuota
    case deletesHeld(Int)
    /// The device's own disk or memory of sync.
    case disk(String)

    /// Whether it is over once anybody has reached the store.
    package var isAbsence: Bool {
        switch self {
        case .storeAway, .bucketMissing: true
        default: false
        }
    }
}

extension SyncTrouble: CustomStringConvertible {
    /// What it is and what to do, in one line.
    package var description: String {
        switch self {
        case .storeAway(let why): "the store cannot be reached (\(why)); sync goes on when it can"
        case .storeSlow:
            "the store does not answer in time; look after its server and the network."
                + " Sync tries again by itself"
        case .storeLies(let what):
            "the store gave bytes that are not those written (\(what)); run: apphome cloud check --repair"
        case .storeFull(let why): "the store takes no more bytes (\(why)); free some there"
        case .storeUnfit(let why): "the store cannot be used (\(why)); set another account"
        case .storeReadOnly(let why):
            "the store refuses this device (\(why)); give it the right to read and write there"
        case .credentials(let why):
            "the store refuses the credentials (\(why)); set them again: apphome cloud account set"
        case .clockSkewed: "this machine's clock is wrong and the store refuses its requests; set the clock"
        case .bucketMissing(let why):
            "the bucket or folder is not there (\(why)); make it or set another account"
        case .logHole(let slot):
            "entry \(slot) of the log is missing in the store; restore it there, or run: apphome cloud check"
        case .treeDiffers(let slot):
            "this device's documents differ from entry \(slot) of the log; sync stopped so that nothing"
                + " spreads. Keep the device and report this"
        case .otherAccount:
            "the store has another account than it had; sign in to it anew: apphome cloud account set URL"
        case .unknownFormat(let what):
            "the store was written by a later version (\(what)); upgrade apphome. Changes here wait"
        case .unknownFeature(let name):
            "another device needs the feature \(name), which this version lacks; upgrade apphome."
                + " Changes here wait"
        case .overQuota:
            "the account is over its quota: delete documents, or raise it with"
                + " apphome device set quota BYTES. Uploads wait"
        case .deletesHeld(let count):
            "\(count) documents are gone from this device; if that is meant:"
                + " apphome cloud sync --confirm-deletes"
        case .disk(let why): "this device's disk fails (\(why)); sync tries again"
        }
    }
}

/// What errors mean to a person; nil where sync is ending, which is nobody's trouble.
extension SyncTrouble {
    /// For those who asked from outside while sync was ending.
    package static let ending = SyncTrouble.disk("the engine is ending")

    package init?(_ error: StoreError) {
        switch error {
        case .unreachable(let why), .unknownOutcome(let why): self = .storeAway(why)
        case .undecided: self = .storeSlow
        case .clockSkewed: self = .clockSkewed
        case .unauthorized(let why): self = .credentials(why)
        case .forbidden(let why): self = .storeReadOnly(why)
        case .missing(let why): self = .bucketMissing(why)
        case .unsupported(let why): self = .storeUnfit(why)
        case .full(let why): self = .storeFull(why)
        case .invalidAnswer(let why): self = .storeLies(why)
        case .cancelled: return nil
        }
    }

    package init?(_ error: AccountError) {
        switch error {
        case .store(let error): self.init(error)
        case .unknownVersion(let version): self = .unknownFormat("version \(version)")
        case .unknownFeature(let name): self = .unknownFeature(name)
        case .malformed(let what): self = .storeLies(what)
        }
    }

    package init?(_ error: LocalError) {
        switch error {
        case .ended: return nil
        case .full: self = .disk("no room")
        case .failed(let number): self = .disk("error \(number)")
        case .gone, .changed, .inUse, .dataless: self = .disk("files change while they are read")
        }
    }

    package init?(_ error: ContentError) {
        switch error {
        case .store(let error): self.init(error)
        case .unavailable: self = .storeLies("a chunk is missing")
        case .wrongBytes: self = .storeLies("a chunk")
        case .wrongFile, .malformed: self = .storeLies("a file")
        case .occupied(let key): self = .storeLies("\(key)")
        case .changed: self = .disk("files change while they are read")
        case .local(let error): self.init(error)
        }
    }

    /// What an error of the store, of contents or of the disk means; nil for any other.
    package init?(_ error: any Error) {
        let trouble: SyncTrouble?
        switch error {
        case let known as SyncTrouble: trouble = known
        case let error as StoreError: trouble = SyncTrouble(error)
        case let error as AccountError: trouble = SyncTrouble(error)
        case let error as ContentError: trouble = SyncTrouble(error)
        case let error as LocalError: trouble = SyncTrouble(error)
        case CollectionError.store(let error): trouble = SyncTrouble(error)
        case CollectionError.content(let error): trouble = SyncTrouble(error)
        default: return nil
        }
        self = trouble ?? .ending
    }
}
