internal import Posix
internal import StoreBasics

/// AWS Signature Version 4, with the hash of the body in it, as S3 takes it.
struct RequestSignature {
    let credentials: S3Credentials
    let region: String

    struct Request {
        var method: String
        /// Encoded, with the `/` at its beginning.
        var path: String
        /// As they are, not encoded.
        var query: [(name: String, value: String)]
        /// Names in lower case; each is signed, so nothing on the way can change one.
        var headers: [(name: String, value: String)]
    }

    /// The headers with those that the signature needs.
    /// - Parameter bodyHash: SHA-256 of the body in hexadecimal.
    func sign(_ request: Request, bodyHash: String, at time: StoreTime) -> [(name: String, value: String)] {
        let date = CivilTime.signatureText(time)
        var headers = request.headers
        headers.append(("x-amz-content-sha256", bodyHash))
        headers.append(("x-amz-date", date))
        if let token = credentials.sessionToken { headers.append(("x-amz-security-token", token)) }
        headers.sort { $0.name < $1.name }
        let names = headers.map(\.name).joined(separator: ";")
        let canonical = [
            request.method, request.path, Self.encode(request.query),
            headers.map { "\($0.name):\($0.value)\n" }.joined(), names, bodyHash,
        ].joined(separator: "\n")
        let scope = "\(date.prefix(8))/\(region)/s3/aws4_request"
        let toSign = [
            "AWS4-HMAC-SHA256", date, scope, Hex.text(Digests.sha256(Array(canonical.utf8))),
        ].joined(separator: "\n")
        let signature = Hex.text(Digests.hmac(key: key(scope), Array(toSign.utf8)))
        let credential = "\(credentials.accessKey)/\(scope)"
        let value =
            "AWS4-HMAC-SHA256 Credential=\(credential),SignedHeaders=\(names),Signature=\(signature)"
        headers.append(("authorization", value))
        return headers
    }

    private func key(_ scope: String) -> [UInt8] {
        scope.pathParts.reduce(Array("AWS4\(credentials.secretKey)".utf8)) { key, part in
            Digests.hmac(key: key, Array(part.utf8))
        }
    }

    /// In the order of their encoded names, as in the address itself.
    static func encode(_ query: [(name: String, value: String)]) -> String {
        query.map { pair in
            (
                PercentEncoding.encode(pair.name, keepingSlashes: false),
                PercentEncoding.encode(pair.value, keepingSlashes: false)
            )
        }.sorted { $0 < $1 }.map { "\($0.0)=\($0.1)" }.joined(separator: "&")
    }
}
