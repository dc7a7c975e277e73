import CloudStore
import Posix
import StoreBasics

/// A store in memory: it keeps the whole contract except that it ends with the
/// process, and its clock is the caller's.
public final class MemoryStore: ObjectStore {
    public let traits: StoreTraits
    private let clock: @Sendable () -> StoreTime
    private let objects = Lock(SortedObjects())

    /// - Parameter clock: the store's date in every answer; may go back or jump, as real ones do.
    public init(
        traits: StoreTraits = StoreTraits(clockIsOurs: false, parallelRequests: 8),
        clock: @escaping @Sendable () -> StoreTime
    ) {
        self.traits = traits
        self.clock = clock
    }

    public func putIfAbsent(
        _ bytes: [UInt8], at key: ObjectKey
    ) async throws(StoreError) -> Dated<PutOutcome> {
        try StoreLimits.check(bytes)
        let now = clock()
        let outcome = objects.withLock { objects -> PutOutcome in
            if objects[key] != nil { return .occupied }
            objects.set(StoredObject(bytes: bytes, lastModified: now), at: key)
            return .written
        }
        return Dated(outcome, at: now)
    }

    public func put(_ bytes: [UInt8], at key: ObjectKey) async throws(StoreError) -> Dated<Void> {
        try StoreLimits.check(bytes)
        let now = clock()
        objects.withLock { $0.set(StoredObject(bytes: bytes, lastModified: now), at: key) }
        return Dated((), at: now)
    }

    public func get(_ key: ObjectKey, range: Range<UInt64>?) async throws(StoreError) -> Dated<StoredObject?>
    {
        guard let object = objects.withLock({ $0[key] }) else { return Dated(nil, at: clock()) }
        guard let range else { return Dated(object, at: clock()) }
        try StoreLimits.check(range, sizeBytes: UInt64(object.bytes.count))
        let part = Array(object.bytes[Int(range.lowerBound)..<Int(range.upperBound)])
        return Dated(StoredObject(bytes: part, lastModified: object.lastModified), at: clock())
    }

    public func head(_ key: ObjectKey) async throws(StoreError) -> Dated<ObjectInfo?> {
        let object = objects.withLock { $0[key] }
        return Dated(object.map { ObjectInfo(key, $0) }, at: clock())
    }

    public func list(
        _ prefix: String, after: ObjectKey?, limit: Int
    ) async throws(StoreError) -> Dated<ObjectListing> {
        let now = clock()
        let limit = StoreLimits.listed(limit)
        let found = objects.withLock { $0.list(prefix, after: after, limit: limit + 1) }
        let listing = ObjectListing(
            objects: Array(found.prefix(limit)), isTruncated: found.count > limit)
        return Dated(listing, at: now)
    }

    public func delete(_ key: ObjectKey) async throws(StoreError) -> Dated<Void> {
        objects.withLock { $0.remove(key) }
        return Dated((), at: clock())
    }
}

/// Objects by key, and the keys in order.
private struct SortedObjects {
    private var objects: [ObjectKey: StoredObject] = [:]
    private var keys: [ObjectKey] = []

    subscript(key: ObjectKey) -> StoredObject? { objects[key] }

    mutating func set(_ object: StoredObject, at key: ObjectKey) {
        if objects.updateValue(object, forKey: key) == nil {
            keys.insert(key, at: firstIndex { key < $0 })
        }
    }

    mutating func remove(_ key: ObjectKey) {
        if objects.removeValue(forKey: key) != nil { keys.remove(at: firstIndex { key <= $0 }) }
    }

    func list(_ prefix: String, after: ObjectKey?, limit: Int) -> [ObjectInfo] {
        let start = firstIndex { key in key.text >= prefix && (after.map { $0 < key } ?? true) }
        return keys[start...].prefix { $0.text.hasPrefix(prefix) }.prefix(limit).compactMap { key in
            objects[key].map { ObjectInfo(key, $0) }
        }
    }

    /// The first key of which `isAtOrPast` holds, which holds of all that follow it.
    private func firstIndex(where isAtOrPast: (ObjectKey) -> Bool) -> Int {
        var low = 0
        var high = keys.count
        while low < high {
            let middle = (low + high) / 2
            if isAtOrPast(keys[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension ObjectInfo {
    fileprivate init(_ key: ObjectKey, _ object: StoredObject) {
        self.init(key: key, sizeBytes: UInt64(object.bytes.count), lastModified: object.lastModified)
    }
}
