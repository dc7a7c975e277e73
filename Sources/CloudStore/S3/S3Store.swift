internal import FoundationEssentials
internal import Posix
internal import StoreBasics

/// A store in a bucket of a server that speaks S3.
///
/// Written on async-http-client and not on an SDK of AWS (soto, aws-sdk-swift): five requests do not need so
/// large a dependency, whose own retries would have to be taken out, as is said below.
///
/// The only conditional request is PutObject with `If-None-Match: *`. A put whose outcome is unknown is never
/// sent again from here; what changes nothing, or provably never went out, is.
public final class S3Store: ObjectStore {
    public let location: S3Location
    public let traits = StoreTraits(clockIsOurs: false, parallelRequests: 16)
    let connections: HTTPConnections
    let signature: RequestSignature
    /// What the store's clock is ahead of this machine's, in seconds: taken from an answer when the store
    /// refuses a signature for its time.
    let clockOffset = Lock<Int64>(0)

    /// Connects to nothing yet.
    public init(_ location: S3Location, credentials: S3Credentials, network: NetworkSettings) {
        self.location = location
        signature = RequestSignature(credentials: credentials, region: location.region)
        connections = HTTPConnections(to: location.server, network)
    }

    public func putIfAbsent(
        _ bytes: [UInt8], at key: ObjectKey
    ) async throws(StoreError) -> Dated<PutOutcome> {
        let reply = try await put(bytes, at: key, headers: [("if-none-match", "*")])
        switch reply.status {
        case 200, 201, 204: return try dated(.written, reply, isWrite: true)
        case 412: return try dated(.occupied, reply, isWrite: true)
        default: throw reply.error(isWrite: true)
        }
    }

    public func put(_ bytes: [UInt8], at key: ObjectKey) async throws(StoreError) -> Dated<Void> {
        let reply = try await put(bytes, at: key, headers: [])
        guard [200, 201, 204].contains(reply.status) else { throw reply.error(isWrite: true) }
        return try dated((), reply, isWrite: true)
    }

    /// The checksum is what an engine verifies the body by; not all verify the signed hash of it.
    private func put(
        _ bytes: [UInt8], at key: ObjectKey, headers: [(name: String, value: String)]
    ) async throws(StoreError) -> S3Reply {
        try StoreLimits.check(bytes)
        let hash = Digests.sha256(bytes)
        var call = S3Call("PUT", key: key)
        call.headers = headers + [("x-amz-checksum-sha256", Data(hash).base64EncodedString())]
        call.body = bytes
        call.bodyHash = hash
        return try await answer(to: call)
    }

    public func get(_ key: ObjectKey, range: Range<UInt64>?) async throws(StoreError) -> Dated<StoredObject?>
    {
        var call = S3Call("GET", key: key)
        call.replyBytes = StoreLimits.objectBytes
        if let range {
            guard let last = range.last else { throw .invalidAnswer("\(key): the range is empty") }
            try StoreLimits.check(objectOf: range.upperBound - range.lowerBound)
            call.headers = [("range", "bytes=\(range.lowerBound)-\(last)")]
        }
        let reply = try await answer(to: call)
        if reply.status == 404, reply.code == "NoSuchKey" { return try dated(nil, reply) }
        guard reply.status == 200 || (reply.status == 206 && range != nil) else {
            throw reply.error(isWrite: false)
        }
        let bytes = try Self.part(of: reply, range, key)
        return try dated(StoredObject(bytes: bytes, lastModified: try lastModified(reply, key)), reply)
    }

    /// A server may answer the whole object to a request for a part (RFC 9110, 14.2).
    private static func part(
        of reply: S3Reply, _ range: Range<UInt64>?, _ key: ObjectKey
    ) throws(StoreError) -> [UInt8] {
        guard let range else { return reply.body }
        if reply.status == 200 {
            try StoreLimits.check(range, sizeBytes: UInt64(reply.body.count))
            return Array(reply.body[Int(range.lowerBound)..<Int(range.upperBound)])
        }
        let field = reply.headers["content-range"] ?? ""
        guard reply.body.count == range.count,
            field.hasPrefix("bytes \(range.lowerBound)-\(range.upperBound - 1)/")
        else { throw .invalidAnswer("\(key): \(reply.body.count) bytes of \(field) for \(range)") }
        return reply.body
    }

    public func head(_ key: ObjectKey) async throws(StoreError) -> Dated<ObjectInfo?> {
        let reply = try await answer(to: S3Call("HEAD", key: key))
        // Without a body a missing bucket looks the same; the write that follows will tell.
        if reply.status == 404 { return try dated(nil, reply) }
        guard reply.status == 200 else { throw reply.error(isWrite: false) }
        guard let size = reply.headers["content-length"].flatMap({ UInt64($0) }) else {
            throw .invalidAnswer("\(key): an answer without the object's size")
        }
        let time = try lastModified(reply, key)
        return try dated(ObjectInfo(key: key, sizeBytes: size, lastModified: time), reply)
    }

    public func delete(_ key: ObjectKey) async throws(StoreError) -> Dated<Void> {
        var call = S3Call("DELETE", key: key)
        // It must not come about long after it was decided, as on a machine that slept meanwhile: its
        // signature ends first, and the caller decides afresh.
        call.decidedAt = .machine
        let reply = try await answer(to: call)
        guard reply.isSuccess || (reply.status == 404 && reply.code == "NoSuchKey") else {
            throw reply.error(isWrite: true)
        }
        return try dated((), reply, isWrite: true)
    }

    func dated<Value: Sendable>(
        _ value: Value, _ reply: S3Reply, isWrite: Bool = false
    ) throws(StoreError) -> Dated<Value> {
        if let date = reply.date { return Dated(value, at: date) }
        let text = "an answer without a date"
        throw isWrite ? .unknownOutcome(text) : .invalidAnswer(text)
    }

    private func lastModified(_ reply: S3Reply, _ key: ObjectKey) throws(StoreError) -> StoreTime {
        guard let time = reply.headers["last-modified"].flatMap(CivilTime.httpDate) else {
            throw .invalidAnswer("\(key): an answer without the object's time")
        }
        return time
    }
}
