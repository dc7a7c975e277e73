internal import CloudStore
internal import StoreBasics

/// The objects of an account, with the store's own clock. It knows no fault but those that all devices meet:
/// the others are the way's.
// Unchecked: see WorldExecutor.
final class SharedStore: @unchecked Sendable {
    private var map = ObjectMap()
    var objects: [ObjectKey: ObjectMap.Object] { map.objects }
    private let timeline: Timeline
    /// Seconds that its clock is ahead of the world's.
    var clockOffset: Int64 = 1_800_000_000
    var isAway = false
    /// Bytes that it takes; then it is full.
    var capacityBytes = Int.max
    private(set) var usedBytes = 0
    /// Of these half is read only, as after a power failure of whoever keeps them.
    var corrupt: Set<ObjectKey> = []
    /// What was at a key before it was changed, for listings that are old.
    private var changes: [(time: UInt64, key: ObjectKey, before: ObjectMap.Object?)] = []
    static let oldestListing = 60 * Plan.second
    /// Told of each object written and each one deleted, after it was.
    var didPut: (ObjectKey, [UInt8]) -> Void = { _, _ in }
    var didDelete: (ObjectKey) -> Void = { _ in }
    /// Told of a key written before, when other bytes replace it.
    var didReplace: (ObjectKey, [UInt8], [UInt8]) -> Void = { _, _, _ in }
    var didReadCorrupt: () -> Void = {}
    /// Told where a listing is another than the present one.
    var didListOld: () -> Void = {}

    init(_ timeline: Timeline) {
        self.timeline = timeline
    }

    var date: StoreTime { StoreTime(seconds: clockOffset + Int64(timeline.now / 1_000_000_000)) }

    /// - Parameter date: what the object is dated; nil: by the store's clock.
    func putIfAbsent(
        _ bytes: [UInt8], at key: ObjectKey, dated date: StoreTime? = nil
    ) throws(StoreError) -> PutOutcome {
        if map[key] != nil { return .occupied }
        try write(bytes, at: key, date)
        return .written
    }

    func put(_ bytes: [UInt8], at key: ObjectKey, dated date: StoreTime? = nil) throws(StoreError) {
        if let old = map[key]?.bytes { didReplace(key, old, bytes) }
        try write(bytes, at: key, date)
    }

    private func write(_ bytes: [UInt8], at key: ObjectKey, _ date: StoreTime?) throws(StoreError) {
        let used = usedBytes - (map[key]?.bytes.count ?? 0) + bytes.count
        if used > capacityBytes { throw .full("no room") }
        usedBytes = used
        remember(key)
        map[key] = ObjectMap.Object(bytes: bytes, modified: date ?? self.date)
        didPut(key, bytes)
    }

    func get(_ key: ObjectKey, range: Range<UInt64>?) throws(StoreError) -> StoredObject? {
        guard let object = map[key] else { return nil }
        var bytes = object.bytes
        if corrupt.contains(key) {
            bytes.removeLast(bytes.count - bytes.count / 2)
            didReadCorrupt()
        }
        guard let range else { return StoredObject(bytes: bytes, lastModified: object.modified) }
        guard range.upperBound <= bytes.count else { throw .invalidAnswer("range past the end") }
        let part = bytes[Int(range.lowerBound)..<Int(range.upperBound)]
        return StoredObject(bytes: Array(part), lastModified: object.modified)
    }

    func head(_ key: ObjectKey) -> ObjectInfo? { map.info(of: key) }

    /// - Parameter age: as it was so long ago.
    func list(_ prefix: String, after: ObjectKey?, limit: Int, age: UInt64 = 0) -> ObjectListing {
        let listing = map.list(prefix, after: after, limit: limit)
        guard age > 0 else { return listing }
        var map = map
        for change in changes.reversed() where change.time + age > timeline.now {
            map[change.key] = change.before
        }
        let old = map.list(prefix, after: after, limit: limit)
        if old.objects.map(\.key) != listing.objects.map(\.key) { didListOld() }
        return old
    }

    func delete(_ key: ObjectKey) {
        guard let old = map[key] else { return }
        remember(key)
        map[key] = nil
        usedBytes -= old.bytes.count
        didDelete(key)
    }

    private func remember(_ key: ObjectKey) {
        if let first = changes.first, first.time + 2 * Self.oldestListing < timeline.now {
            changes.removeAll { $0.time + Self.oldestListing < timeline.now }
        }
        changes.append((timeline.now, key, map[key]))
    }

    /// All keys that begin so, for the checks.
    func keys(under prefix: String) -> [ObjectKey] { map.keys(under: prefix) }
}
