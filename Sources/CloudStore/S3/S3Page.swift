internal import StoreBasics

/// One answer to ListObjectsV2.
struct S3Page {
    /// Keys as the server has them, in its order.
    var entries: [(key: String, sizeBytes: UInt64, lastModified: StoreTime)] = []
    var isTruncated = false

    /// - Throws: where it is no such answer, or holds more than `StoreLimits.listedKeys` keys.
    init(_ body: [UInt8]) throws(XMLReader.Malformed) {
        var reader = XMLReader(body)
        var path: [String] = []
        var fields: [String: String] = [:]
        var hasRoot = false
        while let event = try reader.next() {
            switch event {
            case .start(let name):
                path.append(name)
                if path == ["ListBucketResult"] { hasRoot = true }
                if path == ["ListBucketResult", "Contents"] { fields = [:] }
            case .text(let text):
                if path == ["ListBucketResult", "IsTruncated"] { isTruncated = text == "true" }
                if path.count == 3, path[1] == "Contents" { fields[path[2]] = text }
            case .end:
                if path == ["ListBucketResult", "Contents"] { try add(fields) }
                path.removeLast()
            }
        }
        if !hasRoot { throw XMLReader.Malformed() }
    }

    private mutating func add(_ fields: [String: String]) throws(XMLReader.Malformed) {
        guard entries.count < StoreLimits.listedKeys, let key = fields["Key"],
            let sizeBytes = fields["Size"].flatMap({ UInt64($0) }),
            let lastModified = fields["LastModified"].flatMap(CivilTime.iso8601)
        else { throw XMLReader.Malformed() }
        entries.append((key, sizeBytes, lastModified))
    }
}
