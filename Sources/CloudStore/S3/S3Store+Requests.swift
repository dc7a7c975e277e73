internal import Posix
internal import StoreBasics

/// One call of S3's protocol, before it is signed.
struct S3Call {
    let method: String
    /// Nil: the bucket itself.
    let key: ObjectKey?
    var query: [(name: String, value: String)] = []
    var headers: [(name: String, value: String)] = []
    var body: [UInt8]?
    var bodyHash: [UInt8]?
    var replyBytes = HTTPExchange.errorBytes
    /// By this machine's clock when it was decided on; nil: it is signed anew whenever it is sent.
    var decidedAt: StoreTime?

    init(_ method: String, key: ObjectKey?) {
        self.method = method
        self.key = key
    }

    /// It changes nothing, so it may be sent again.
    var isRead: Bool { method == "GET" || method == "HEAD" }
}

extension S3Store {
    private static let tries = 4
    private static let emptyHash = Hex.text(Digests.sha256([]))

    /// What stands before each key in the bucket; empty, or with a `/` at its end.
    var accountPrefix: String { location.prefix.isEmpty ? "" : location.prefix + "/" }

    func path(of key: ObjectKey) -> String { accountPrefix + key.text }

    /// Sends a call, again where that can do no harm.
    /// - Throws: where no answer was got, or the clocks differ too much. A refusal is an answer.
    func answer(to call: S3Call) async throws(StoreError) -> S3Reply {
        var isResigned = false
        var attempt = 0
        while true {
            attempt += 1
            let isLast = attempt >= Self.tries
            switch await send(call) {
            case .success(let reply):
                if reply.status == 403, reply.code == "RequestTimeTooSkewed", let date = reply.date {
                    // Refused for its signature alone, so nothing has happened.
                    if isResigned { throw .clockSkewed(date) }
                    clockOffset.withLock { $0 = date.seconds(since: .machine) }
                    if call.decidedAt != nil { throw .clockSkewed(date) }
                    isResigned = true
                    continue
                }
                if isLast || !call.isRead || !Self.isPassing(reply.status) { return reply }
            case .failure(let failure): try check(failure, call, isLast: isLast)
            }
            try await pause(after: attempt)
        }
    }

    private func send(_ call: S3Call) async -> Result<S3Reply, HTTPExchange.Failure> {
        do throws(HTTPExchange.Failure) {
            return .success(S3Reply(try await connections.send(request(for: call))))
        } catch {
            return .failure(error)
        }
    }

    /// Answers of a server that has too much to do.
    private static func isPassing(_ status: Int) -> Bool { [429, 500, 502, 503, 504].contains(status) }

    /// Returns where the call may be sent again.
    private func check(
        _ failure: HTTPExchange.Failure, _ call: S3Call, isLast: Bool
    ) throws(StoreError) {
        let server = location.server
        switch failure {
        case .notSent(let reason): if isLast { throw .unreachable("\(server): \(reason)") }
        case .closed:
            if isLast || !call.isRead { throw .unknownOutcome("\(server): connection closed") }
        // It was waited for long enough.
        case .noReply(let reason): throw .unknownOutcome("\(server): \(reason)")
        case .tooLarge:
            let text = "\(server): more bytes than were asked for"
            throw call.isRead ? .invalidAnswer(text) : .unknownOutcome(text)
        case .cancelled: throw .cancelled
        }
    }

    /// 50 ms, doubled each time, half of it by chance: many requests fail at once, and are not to come back
    /// at once.
    private func pause(after attempt: Int) async throws(StoreError) {
        let half = (25 << attempt) / 2
        do {
            try await Task.sleep(for: .milliseconds(half + Int.random(in: 0...half)))
        } catch {
            throw .cancelled
        }
    }

    private func request(for call: S3Call) -> HTTPExchange.Request {
        let server = location.server
        let objectPath = call.key.map { "/" + path(of: $0) } ?? "/"
        let isPath = location.style == .path
        let target = isPath ? "/" + location.bucket + (call.key == nil ? "" : objectPath) : objectPath
        let host = isPath ? server.authority : "\(location.bucket).\(server.authority)"
        let signed = signature.sign(
            RequestSignature.Request(
                method: call.method, path: target, query: call.query,
                headers: call.headers + [("host", host)]),
            bodyHash: call.bodyHash.map { Hex.text($0) } ?? Self.emptyHash,
            at: (call.decidedAt ?? .machine).adding(seconds: clockOffset.withLock { $0 }))
        let query = call.query.isEmpty ? "" : "?" + RequestSignature.encode(call.query)
        return HTTPExchange.Request(
            method: call.method, url: "\(server.isSecure ? "https" : "http")://\(host)\(target)\(query)",
            headers: signed.filter { $0.name != "host" }, body: call.body, replyBytes: call.replyBytes)
    }
}
