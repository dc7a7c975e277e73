/// Bounds that hold on every store, so that nobody's answer can exhaust this machine.
public enum StoreLimits {
    /// The largest object: twice the largest pack.
    public static let objectBytes = 16 << 20
    /// The most keys that one `list` answers; S3's own bound.
    public static let listedKeys = 1000

    /// A caller's limit of a listing, within what every store can answer.
    package static func listed(_ limit: Int) -> Int { min(max(limit, 1), listedKeys) }

    package static func check(_ bytes: [UInt8]) throws(StoreError) {
        if bytes.count > objectBytes {
            throw .forbidden("an object of \(bytes.count) bytes; at most \(objectBytes) are written")
        }
    }

    package static func check(_ range: Range<UInt64>, sizeBytes: UInt64) throws(StoreError) {
        if range.isEmpty || range.upperBound > sizeBytes {
            throw .invalidAnswer("the object has \(sizeBytes) bytes, not those of the range \(range)")
        }
    }

    static func check(objectOf sizeBytes: UInt64) throws(StoreError) {
        if sizeBytes > UInt64(objectBytes) {
            throw .invalidAnswer("an object of \(sizeBytes) bytes; none has more than \(objectBytes)")
        }
    }
}
