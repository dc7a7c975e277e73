internal import Posix
internal import StoreBasics

/// What an answer of an S3 server means.
struct S3Reply {
    let status: Int
    let headers: [String: String]
    let body: [UInt8]
    /// The store's clock.
    let date: StoreTime?

    init(_ reply: HTTPExchange.Reply) {
        status = reply.status
        headers = reply.headers
        body = reply.body
        date = reply.headers["date"].flatMap(CivilTime.httpDate)
    }

    var isSuccess: Bool { (200..<300).contains(status) }

    /// A refusal's code, such as `NoSuchKey`; empty where the answer has none (HEAD).
    var code: String { errorField("Code") ?? "" }

    /// What a refusal means for a call.
    /// - Parameter isWrite: where the answer is unclear, a write may have happened.
    func error(isWrite: Bool) -> StoreError {
        let code = self.code
        let text = describe(code)
        switch code {
        case "RequestTimeTooSkewed": if let date { return .clockSkewed(date) }
        case "NoSuchBucket": return .missing(text)
        case "QuotaExceeded", "XMinioStorageFull", "XMinioAdminBucketQuotaExceeded": return .full(text)
        case "NotImplemented": return .unsupported(text)
        case "InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "InvalidToken",
            "TokenRefreshRequired", "AuthorizationHeaderMalformed", "InvalidClientTokenId":
            return .unauthorized(text)
        case "ConditionalRequestConflict", "OperationAborted": return .undecided
        case "AccessDenied":
            return .forbidden("\(text) (Amazon says so of an absent object too, without s3:ListBucket)")
        default: break
        }
        switch status {
        case 300..<400:
            return .missing("\(text)\(headers["x-amz-bucket-region"].map { ": region \($0)" } ?? "")")
        case 401: return .unauthorized(text)
        case 403, 405: return .forbidden(text)
        case 409: return .undecided
        case 501: return .unsupported(text)
        case 507: return .full(text)
        case 408, 425, 429, 500...: return .unknownOutcome(text)
        default: return isWrite && isSuccess ? .unknownOutcome(text) : .invalidAnswer(text)
        }
    }

    /// One line for a person, of bounded length and without what a terminal would obey.
    private func describe(_ code: String) -> String {
        let message = errorField("Message") ?? ""
        let text = [String(status), code, message].filter { !$0.isEmpty }.joined(separator: " ")
        return String(text.unicodeScalars.prefix(200)).printableLine
    }

    private func errorField(_ name: String) -> String? {
        guard !isSuccess, body.first == UInt8(ascii: "<") else { return nil }
        var reader = XMLReader(body)
        var path: [String] = []
        while let event = try? reader.next() {
            switch event {
            case .start(let element): path.append(element)
            case .end: path.removeLast()
            case .text(let text) where path == ["Error", name]: return text
            case .text: continue
            }
        }
        return nil
    }
}
