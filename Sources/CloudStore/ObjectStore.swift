public import StoreBasics

/// What sync asks of a store: objects under keys, one conditional write, and the store's clock in each
/// answer.
///
/// The contract, which the conformance suite runs on every store:
/// - An object that was acknowledged is there for every later `get`, `head` and `list` of any client, whole,
///   also after the store was killed.
/// - `putIfAbsent` is atomic: of any number of writers to one key exactly one is answered `.written`, and
///   what it wrote is never replaced by another `putIfAbsent`. It is the only conditional write relied on.
/// - `list` answers in ascending order of the keys' bytes, strictly after `after`, and misses nothing that
///   was acknowledged before it began.
/// - `delete` of what is not there succeeds.
/// - A write that ends in `StoreError.unknownOutcome` or `.cancelled` may have happened, may happen later,
///   or never. After every other error it has not happened and will not.
/// - No object is larger than `StoreLimits.objectBytes`, read or written.
///
/// No call repeats by itself a write whose outcome is unknown: what to do then is the protocol's matter.
public protocol ObjectStore: Sendable {
    /// Writes an object where none is.
    /// - Returns: whether this call wrote it or the key was occupied before, by anybody.
    func putIfAbsent(_ bytes: [UInt8], at key: ObjectKey) async throws(StoreError) -> Dated<PutOutcome>
    /// Writes an object, replacing what is there. Only for keys that one device writes.
    func put(_ bytes: [UInt8], at key: ObjectKey) async throws(StoreError) -> Dated<Void>
    /// The object, or the part of it in a range of its bytes; nil where there is none.
    /// - Throws: `.invalidAnswer` where the range is empty or reaches past the object's end.
    func get(_ key: ObjectKey, range: Range<UInt64>?) async throws(StoreError) -> Dated<StoredObject?>
    /// Size and time of an object; nil where there is none.
    func head(_ key: ObjectKey) async throws(StoreError) -> Dated<ObjectInfo?>
    /// Up to `limit` objects (1 to `StoreLimits.listedKeys`) whose keys begin with `prefix`, in order, after
    /// `after`. What lies there under a name that is no `ObjectKey` is left out.
    func list(_ prefix: String, after: ObjectKey?, limit: Int) async throws(StoreError)
        -> Dated<ObjectListing>
    /// Removes an object; nothing is told of whether it was there.
    func delete(_ key: ObjectKey) async throws(StoreError) -> Dated<Void>
    /// What holds for all answers of this store.
    var traits: StoreTraits { get }
    /// The same store for records without which nothing can be removed from it: entries of logs, what a
    /// collection notes. They may use room that the store keeps for them when it is full.
    var forRecords: any ObjectStore { get }
    /// How many bytes it takes until it is full; nil where it does not know.
    func freeBytes() async -> UInt64?
    /// What the clock of a store says that a machine dates (`StoreTraits.clockIsOurs`), whatever
    /// `keepDates` said; nil where the answers' dates are a server's.
    func ownTime() async -> StoreTime?
    /// The answers' dates lie in `bounds` from now on, which go on with time, and nothing that is written is
    /// dated before the lower one. Nothing where the dates are a server's.
    func keepDates(in bounds: ClosedRange<StoreTime>)
}

extension ObjectStore {
    public var forRecords: any ObjectStore { self }
    public func freeBytes() async -> UInt64? { nil }
    public func ownTime() async -> StoreTime? { nil }
    public func keepDates(in bounds: ClosedRange<StoreTime>) {}

    public func get(_ key: ObjectKey) async throws(StoreError) -> Dated<StoredObject?> {
        try await get(key, range: nil)
    }
}

/// An answer with the store's clock when it gave it (HTTP's Date). A 404 has one too.
public struct Dated<Value: Sendable>: Sendable {
    public let value: Value
    public let date: StoreTime

    public init(_ value: Value, at date: StoreTime) {
        self.value = value
        self.date = date
    }
}

public enum PutOutcome: Equatable, Sendable {
    case written
    /// Somebody's object is there: perhaps this device's own, of a try whose answer was lost.
    case occupied
}

public struct StoredObject: Equatable, Sendable {
    public let bytes: [UInt8]
    public let lastModified: StoreTime

    public init(bytes: [UInt8], lastModified: StoreTime) {
        self.bytes = bytes
        self.lastModified = lastModified
    }
}

public struct ObjectInfo: Equatable, Sendable {
    public let key: ObjectKey
    public let sizeBytes: UInt64
    public let lastModified: StoreTime

    public init(key: ObjectKey, sizeBytes: UInt64, lastModified: StoreTime) {
        self.key = key
        self.sizeBytes = sizeBytes
        self.lastModified = lastModified
    }
}

public struct ObjectListing: Equatable, Sendable {
    public let objects: [ObjectInfo]
    /// More may follow: list again, after the last key.
    public let isTruncated: Bool

    public init(objects: [ObjectInfo], isTruncated: Bool) {
        self.objects = objects
        self.isTruncated = isTruncated
    }
}

public struct StoreTraits: Equatable, Sendable {
    /// Whoever writes dates what it writes by its own machine's clock, and so are the answers: ages may not
    /// be believed.
    public let clockIsOurs: Bool
    /// How many requests are worth having in flight.
    public let parallelRequests: Int

    public init(clockIsOurs: Bool, parallelRequests: Int) {
        self.clockIsOurs = clockIsOurs
        self.parallelRequests = parallelRequests
    }
}
