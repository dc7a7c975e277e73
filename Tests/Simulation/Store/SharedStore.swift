internal import CloudStore
internal import StoreBasics

/// The objects of an account, in one map, with the store's own clock. It knows no fault: those are the way's.
// Unchecked: see WorldExecutor.
final class SharedStore: @unchecked Sendable {
    struct Object {
        var bytes: [UInt8]
        var modified: StoreTime
    }

    private(set) var objects: [ObjectKey: Object] = [:]
    /// Ascending, for `list`.
    private var keys: [ObjectKey] = []
    private let timeline: Timeline
    /// Seconds that its clock is ahead of the world's.
    var clockOffset: Int64 = 1_800_000_000
    var isAway = false
    /// Bytes that it takes; then it is full.
    var capacityBytes = Int.max
    private(set) var usedBytes = 0
    /// Told of each object written and each one deleted, after it was.
    var didPut: (ObjectKey, [UInt8]) -> Void = { _, _ in }
    var didDelete: (ObjectKey) -> Void = { _ in }
    /// Told of a key written before, when other bytes replace it.
    var didReplace: (ObjectKey, [UInt8], [UInt8]) -> Void = { _, _, _ in }

    init(_ timeline: Timeline) {
        self.timeline = timeline
    }

    var date: StoreTime { StoreTime(seconds: clockOffset + Int64(timeline.now / 1_000_000_000)) }

    /// - Parameter date: what the object is dated; nil: by the store's clock.
    func putIfAbsent(
        _ bytes: [UInt8], at key: ObjectKey, dated date: StoreTime? = nil
    ) throws(StoreError) -> PutOutcome {
        if objects[key] != nil { return .occupied }
        try write(bytes, at: key, date)
        return .written
    }

    func put(_ bytes: [UInt8], at key: ObjectKey, dated date: StoreTime? = nil) throws(StoreError) {
        if let old = objects[key]?.bytes { didReplace(key, old, bytes) }
        try write(bytes, at: key, date)
    }

    private func write(_ bytes: [UInt8], at key: ObjectKey, _ date: StoreTime?) throws(StoreError) {
        let old = objects[key]
        let used = usedBytes - (old?.bytes.count ?? 0) + bytes.count
        if used > capacityBytes { throw .full("no room") }
        usedBytes = used
        if old == nil { keys.insert(key, at: position(of: key)) }
        objects[key] = Object(bytes: bytes, modified: date ?? self.date)
        didPut(key, bytes)
    }

    func get(_ key: ObjectKey, range: Range<UInt64>?) throws(StoreError) -> StoredObject? {
        guard let object = objects[key] else { return nil }
        guard let range else { return StoredObject(bytes: object.bytes, lastModified: object.modified) }
        guard range.upperBound <= object.bytes.count else { throw .invalidAnswer("range past the end") }
        let part = object.bytes[Int(range.lowerBound)..<Int(range.upperBound)]
        return StoredObject(bytes: Array(part), lastModified: object.modified)
    }

    func head(_ key: ObjectKey) -> ObjectInfo? {
        objects[key].map {
            ObjectInfo(key: key, sizeBytes: UInt64($0.bytes.count), lastModified: $0.modified)
        }
    }

    func list(_ prefix: String, after: ObjectKey?, limit: Int) -> ObjectListing {
        var index = after.map { position(of: $0) } ?? 0
        if let after, index < keys.count, keys[index] == after { index += 1 }
        var found: [ObjectInfo] = []
        while index < keys.count {
            let key = keys[index]
            index += 1
            guard key.text.hasPrefix(prefix) else {
                // In order of bytes all that begin so stand together.
                if found.isEmpty && key.text.utf8.lexicographicallyPrecedes(prefix.utf8) { continue }
                break
            }
            if found.count == limit { return ObjectListing(objects: found, isTruncated: true) }
            if let info = head(key) { found.append(info) }
        }
        return ObjectListing(objects: found, isTruncated: false)
    }

    func delete(_ key: ObjectKey) {
        guard let old = objects.removeValue(forKey: key) else { return }
        usedBytes -= old.bytes.count
        keys.remove(at: position(of: key))
        didDelete(key)
    }

    /// All keys that begin so, for the checks.
    func keys(under prefix: String) -> [ObjectKey] { keys.filter { $0.text.hasPrefix(prefix) } }

    /// Where a key stands, or would.
    private func position(of key: ObjectKey) -> Int {
        var (low, high) = (0, keys.count)
        while low < high {
            let middle = (low + high) / 2
            if keys[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
