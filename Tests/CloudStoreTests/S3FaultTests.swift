import Foundation
import Glibc
import Posix
import Testing

@testable import CloudStore

/// What `S3Store` makes of servers that are slow, away, broken or hostile.
@Suite struct S3FaultTests {
    /// Short times, so that a test need not wait for the product's.
    private func store(
        _ port: UInt16, silenceSeconds: Double = 10, connectSeconds: Double = 1,
        network: NetworkSettings = NetworkSettings()
    ) throws -> S3Store {
        var network = network
        network.timeouts.connectSeconds = min(network.timeouts.connectSeconds, connectSeconds)
        network.timeouts.silenceSeconds = silenceSeconds
        let location = try S3Location(
            bucket: "bucket", prefix: "p", endpoint: try S3Endpoint("http://127.0.0.1:\(port)"))
        return S3Store(
            location, credentials: S3Credentials(accessKey: "A", secretKey: "S"), network: network)
    }

    enum Call: CaseIterable {
        case putIfAbsent, put, get, part, head, list, delete

        func run(_ store: any ObjectStore) async throws -> String {
            let name = try key("log/1")
            switch self {
            case .putIfAbsent: return "\(try await store.putIfAbsent([1, 2, 3], at: name).value)"
            case .put: return "\(try await store.put([1, 2, 3], at: name).value)"
            case .get: return "\(try await store.get(name).value?.bytes as Any)"
            case .part: return "\(try await store.get(name, range: 1..<3).value?.bytes as Any)"
            case .head: return "\(try await store.head(name).value?.sizeBytes as Any)"
            case .list:
                return
                    "\(try await store.list("log/", after: try key("log/0"), limit: 9).value.objects.count)"
            case .delete: return "\(try await store.delete(name).value)"
            }
        }

        var isWrite: Bool { [.putIfAbsent, .put, .delete].contains(self) }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let answer: FakeServer.Answer
        /// What each of these calls comes to: an error's case, or the value.
        let expected: [(Call, String)]
        var testDescription: String { name }

        init(_ name: String, _ answer: FakeServer.Answer, _ expected: [(Call, String)]) {
            (self.name, self.answer, self.expected) = (name, answer, expected)
        }

        init(_ name: String, _ text: String, _ expected: [(Call, String)]) {
            self.init(name, .reply(text), expected)
        }
    }

    static func all(_ kind: String) -> [(Call, String)] { Call.allCases.map { ($0, kind) } }
    static func writes(_ writes: String, reads: String) -> [(Call, String)] {
        Call.allCases.map { ($0, $0.isWrite ? writes : reads) }
    }

    static func page(_ keys: [String], truncated: Bool = false) -> String {
        let contents = keys.map {
            "<Contents><Key>\($0)</Key><LastModified>2026-11-21T17:09:12Z</LastModified>"
                + "<Size>1</Size></Contents>"
        }
        let body = "<IsTruncated>\(truncated)</IsTruncated>" + contents.joined()
        return FakeServer.reply("200 OK", "<ListBucketResult>\(body)</ListBucketResult>")
    }

    static let cases = [
        Case(
            "200", FakeServer.reply("200 OK", "abc"),
            [
                (.putIfAbsent, "written"), (.put, "()"), (.get, "Optional([97, 98, 99])"),
                (.part, "Optional([98, 99])"), (.list, "invalidAnswer"), (.delete, "()"),
            ]),
        Case(
            "206", FakeServer.reply("206 Partial Content", "bc", headers: ["Content-Range: bytes 1-2/9"]),
            [
                (.part, "Optional([98, 99])"), (.get, "invalidAnswer"),
            ]),
        Case(
            "206 of another part",
            FakeServer.reply(
                "206 Partial Content", "bc", headers: ["Content-Range: bytes 2-3/9"]),
            [(.part, "invalidAnswer")]),
        Case(
            "206 of too little",
            FakeServer.reply(
                "206 Partial Content", "b", headers: ["Content-Range: bytes 1-1/2"]),
            [(.part, "invalidAnswer")]),
        Case(
            "404 NoSuchKey", FakeServer.error("404 Not Found", "NoSuchKey"),
            [
                (.get, "nil"), (.part, "nil"), (.delete, "()"), (.list, "invalidAnswer"),
            ]),
        Case(
            "404 of a bucket", FakeServer.error("404 Not Found", "NoSuchBucket"),
            [
                (.putIfAbsent, "missing"), (.put, "missing"), (.get, "missing"), (.list, "missing"),
                (.delete, "missing"),
            ]),
        Case(
            "404 of another server", FakeServer.reply("404 Not Found", "<html>Please log in</html>"),
            [
                (.get, "invalidAnswer"), (.list, "invalidAnswer"), (.putIfAbsent, "invalidAnswer"),
            ]),
        Case("404 without a body", FakeServer.reply("404 Not Found"), [(.head, "nil")]),
        Case("409", FakeServer.error("409 Conflict", "ConditionalRequestConflict"), all("undecided")),
        Case(
            "412", FakeServer.error("412 Precondition Failed", "PreconditionFailed"),
            [
                (.putIfAbsent, "occupied"), (.put, "invalidAnswer"), (.get, "invalidAnswer"),
            ]),
        Case(
            "416", FakeServer.error("416 Range Not Satisfiable", "InvalidRange"), [(.part, "invalidAnswer")]),
        Case("403 AccessDenied", FakeServer.error("403 Forbidden", "AccessDenied"), all("forbidden")),
        Case("403 ExpiredToken", FakeServer.error("403 Forbidden", "ExpiredToken"), [(.get, "unauthorized")]),
        Case(
            "400 ExpiredToken", FakeServer.error("400 Bad Request", "ExpiredToken"),
            [(.put, "unauthorized")]),
        Case("401", FakeServer.reply("401 Unauthorized"), all("unauthorized")),
        Case("403 QuotaExceeded", FakeServer.error("403 Forbidden", "QuotaExceeded"), [(.put, "full")]),
        Case(
            "301", FakeServer.reply("301 Moved", headers: ["Location: http://127.0.0.1:1/"]), all("missing")),
        Case("501", FakeServer.error("501 Not Implemented", "NotImplemented"), all("unsupported")),
        Case("507", FakeServer.reply("507 Insufficient Storage"), all("full")),
        Case("500", FakeServer.error("500 Internal Server Error", "InternalError"), all("unknownOutcome")),
        Case("503", FakeServer.error("503 Slow Down", "SlowDown"), all("unknownOutcome")),
        Case(
            "no date", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
            [(.putIfAbsent, "unknownOutcome"), (.put, "unknownOutcome"), (.delete, "unknownOutcome")]),
        Case(
            "no time of the object",
            "HTTP/1.1 200 OK\r\nDate: \(FakeServer.date)\r\nContent-Length: 0\r\n\r\n",
            [(.get, "invalidAnswer"), (.head, "invalidAnswer")]),
        Case("closes", .close, all("unknownOutcome")),
        Case("is no HTTP", .last("SSH-2.0-OpenSSH_9.2\r\n\r\n"), all("unknownOutcome")),
        Case(
            "closes within the body",
            .last("HTTP/1.1 200 OK\r\nDate: \(FakeServer.date)\r\nContent-Length: 9\r\n\r\nab"),
            [(.get, "unknownOutcome"), (.put, "unknownOutcome"), (.list, "unknownOutcome")]),
        Case(
            "an endless error",
            .last(
                "HTTP/1.1 403 Forbidden\r\nDate: \(FakeServer.date)\r\n\r\n"
                    + String(repeating: "x", count: 1 << 20)),
            writes("unknownOutcome", reads: "invalidAnswer").filter { $0.0 != .head }),
        Case(
            "an endless object",
            .last(
                "HTTP/1.1 200 OK\r\nDate: \(FakeServer.date)\r\n\r\n"
                    + String(repeating: "x", count: 17 << 20)),
            [(.get, "invalidAnswer"), (.list, "invalidAnswer")]),
        Case("a listing", page(["p/log/1", "p/log/2"]), [(.list, "2")]),
        Case("a listing with strange names", page(["p/log/1", "p/log/A b", "p/log/b"]), [(.list, "2")]),
        Case("a listing out of order", page(["p/log/2", "p/log/1"]), [(.list, "invalidAnswer")]),
        Case("a listing from before", page(["p/log/0"]), [(.list, "invalidAnswer")]),
        Case("a listing of another account", page(["q/log/1"]), [(.list, "invalidAnswer")]),
        Case("a listing without an end", page([], truncated: true), [(.list, "invalidAnswer")]),
    ]

    @Test(arguments: cases) func `Each answer means one thing`(example: Case) async throws {
        for (call, expected) in example.expected {
            let server = try FakeServer { _ in example.answer }
            let store = try store(server.port)
            do {
                let value = try await call.run(store)
                #expect(value == expected, "\(call)")
            } catch let error as StoreError {
                #expect(error.kind == expected, "\(call): \(error)")
            }
            if call.isWrite { #expect(server.requests.count == 1, "\(call) was sent again") }
        }
    }

    @Test(arguments: Call.allCases)
    func `A server that accepts and never answers ends in an unknown outcome, in time`(call: Call)
        async throws
    {
        let server = try FakeServer { _ in .silence }
        let store = try store(server.port, silenceSeconds: 0.3)
        let start = ContinuousClock.now
        #expect(await storeError { try await call.run(store) }?.kind == "unknownOutcome")
        #expect(ContinuousClock.now - start < .seconds(5))
        #expect(server.requests.count == 1)
    }

    @Test(arguments: Call.allCases)
    func `A server that is away is unreachable, soon`(call: Call) async throws {
        let port = try { try FakeServer { _ in .close }.port }()
        let start = ContinuousClock.now
        #expect(await storeError { try await call.run(try store(port)) }?.kind == "unreachable")
        #expect(ContinuousClock.now - start < .seconds(3))
    }

    @Test func `A name that nobody knows is unreachable`() async throws {
        let location = try S3Location(
            bucket: "bucket", endpoint: try S3Endpoint("http://nobody.invalid:80"))
        let store = S3Store(
            location, credentials: S3Credentials(accessKey: "A", secretKey: "S"), network: NetworkSettings())
        #expect(await storeError { try await Call.get.run(store) }?.kind == "unreachable")
    }

    @Test func `What a server says of an error is one line that no terminal obeys`() async throws {
        let message = "\u{1b}[31m\u{202e}\u{9b}2J\nand " + String(repeating: "so on ", count: 100)
        let body = "<Error><Code>AccessDenied</Code><Message>\(message)</Message></Error>"
        let server = try FakeServer { _ in .reply(FakeServer.reply("403 Forbidden", body)) }
        let error = await storeError { try await Call.get.run(try self.store(server.port)) }
        guard case .forbidden(let text) = error else { throw try #require(error) }
        #expect(text.hasPrefix("403 AccessDenied") && text.count < 300)
        #expect(!text.unicodeScalars.contains { ["\u{1b}", "\u{202e}", "\u{9b}", "\n"].contains($0) })
    }

    @Test func `Every put carries a checksum of its bytes, and a put-if-absent its condition`() async throws {
        let server = try FakeServer { _ in .reply(FakeServer.reply("200 OK")) }
        let store = try store(server.port)
        #expect(try await Call.putIfAbsent.run(store) == "written")
        #expect(try await Call.put.run(store) == "()")
        let requests = server.requests
        try #require(requests.count == 2)
        for request in requests {
            // SHA-256 of the bytes 1, 2, 3.
            let checksum = "A5BYxvLAy0ksUzsKTRTvd8wPeKvMztUofYShogEc+4E="
            #expect(request.head.hasPrefix("PUT /bucket/p/log/1 HTTP/1.1\r\n"))
            #expect(request.header("x-amz-checksum-sha256") == checksum)
            #expect(request.header("authorization")?.contains(";x-amz-checksum-sha256;") == true)
        }
        #expect(requests.map { $0.header("if-none-match") } == ["*", nil])
    }

    @Test func `A read is sent again after answers of a busy server`() async throws {
        let server = try FakeServer { request in
            .reply(
                request.number < 2
                    ? FakeServer.error("503 Slow Down", "SlowDown") : FakeServer.reply("200 OK", "a"))
        }
        #expect(try await Call.get.run(try store(server.port)) == "Optional([97])")
        #expect(server.requests.count == 3)
    }

    /// The server answers one request on each connection and closes it over the next.
    @Test(arguments: Call.allCases)
    func `On a kept connection that the server closes, reads are sent again and writes are not`(
        call: Call
    ) async throws {
        let seen = Seen()
        let server = try FakeServer { request in
            if seen.isFirst(on: request.connection) { return .reply(FakeServer.reply("200 OK", "abc")) }
            return .close
        }
        let store = try store(server.port)
        #expect(try await Call.get.run(store) == "Optional([97, 98, 99])")
        #expect(server.connectionCount == 1)
        if call.isWrite {
            #expect(await storeError { try await call.run(store) }?.kind == "unknownOutcome")
            #expect(server.requests.count == 2)
        } else {
            // It reached the server again, whatever it makes of the answer.
            #expect(await storeError { try await call.run(store) }?.kind != "unknownOutcome")
            #expect(server.requests.count == 3)
            #expect(server.connectionCount == 2)
        }
    }

    @Test func `A refusal for the clock is signed again by the store's clock, once`() async throws {
        let server = try FakeServer { request in
            request.header("x-amz-date")?.hasPrefix("20261121T17") == true
                ? .reply(FakeServer.reply("200 OK"))
                : .reply(FakeServer.error("403 Forbidden", "RequestTimeTooSkewed"))
        }
        let store = try store(server.port)
        store.clockOffset.withLock { $0 = 40 * 86400 }
        #expect(try await Call.putIfAbsent.run(store) == "written")
        #expect(server.requests.count == 2)
        let stubborn = try FakeServer { _ in .reply(FakeServer.error("403 Forbidden", "RequestTimeTooSkewed"))
        }
        let date = try #require(CivilTime.httpDate(FakeServer.date))
        #expect(
            await storeError { try await Call.put.run(try self.store(stubborn.port)) } == .clockSkewed(date))
        #expect(stubborn.requests.count == 2)
    }

    @Test func `A deletion that is refused for the clock is not sent again by itself`() async throws {
        let server = try FakeServer { request in
            request.header("x-amz-date")?.hasPrefix("20261121T17") == true
                ? .reply(FakeServer.reply("200 OK"))
                : .reply(FakeServer.error("403 Forbidden", "RequestTimeTooSkewed"))
        }
        let store = try store(server.port)
        store.clockOffset.withLock { $0 = 40 * 86400 }
        let date = try #require(CivilTime.httpDate(FakeServer.date))
        #expect(await storeError { try await Call.delete.run(store) } == .clockSkewed(date))
        #expect(server.requests.count == 1)
        // Who decides on it again does so by the store's clock.
        _ = try await Call.delete.run(store)
        #expect(server.requests.count == 2)
    }

    /// On a machine that is busy connecting takes as long as it takes; a request that nobody ended would say
    /// so by another error than that it was cancelled.
    @Test(.timeLimit(.minutes(5)))
    func `Two hundred requests that are cancelled all end, and 64 are sent at once`() async throws {
        let server = try FakeServer { _ in .silence }
        var network = NetworkSettings()
        network.timeouts.connectSeconds = 600
        let store = try store(server.port, silenceSeconds: 600, connectSeconds: 600, network: network)
        let tasks = (0..<200).map { number in
            Task { await storeError { try await Call.allCases[number % 7].run(store) } }
        }
        try await waitUntil(seconds: 120) { server.requests.count == HTTPConnections.inFlight }
        #expect(server.connectionCount == HTTPConnections.inFlight)
        for task in tasks { task.cancel() }
        for task in tasks { #expect(await task.value == .cancelled) }
        // A place that came back was taken by whoever was not cancelled yet.
        let sent = server.requests.count
        // The places came back: the store still serves.
        let next = (0..<HTTPConnections.inFlight).map { _ in Task { try await Call.get.run(store) } }
        try await waitUntil(seconds: 120) { server.requests.count == sent + HTTPConnections.inFlight }
        for task in next { task.cancel() }
    }

    @Test func `Requests wait for a place as long as it takes, not as long as connecting may`() async throws {
        let server = try FakeServer { _ in
            usleep(600_000)
            return .reply(FakeServer.reply("200 OK", "abc"))
        }
        // All its tries to connect together take less than 250 requests do, 64 at a time.
        var network = NetworkSettings()
        network.timeouts.connectSeconds = 0.3
        let store = try store(server.port, network: network)
        let answers = await withTaskGroup(of: StoreError?.self) { group in
            for _ in 0..<250 { group.addTask { await storeError { try await Call.get.run(store) } } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.allSatisfy { $0 == nil }, "\(answers.compactMap(\.self))")
    }

    @Test func `A proxy is asked with the whole address and its password, exempt hosts are not`() async throws
    {
        let proxy = try FakeServer { request in
            let isTunnel = request.head.hasPrefix("CONNECT")
            return .reply(isTunnel ? "HTTP/1.1 200 OK\r\n\r\n" : FakeServer.reply("200 OK", "abc"))
        }
        var network = try NetworkSettings(environment: ["http_proxy": "http://u%40:p@127.0.0.1:\(proxy.port)"]
        )
        let location = try S3Location(bucket: "bucket", endpoint: try S3Endpoint("http://store.invalid:81"))
        let credentials = S3Credentials(accessKey: "A", secretKey: "S")
        let proxied = S3Store(location, credentials: credentials, network: network)
        #expect(try await Call.get.run(proxied) == "Optional([97, 98, 99])")
        let requests = proxy.requests
        try #require(requests.count == 2)
        #expect(requests[0].head.hasPrefix("CONNECT store.invalid:81 HTTP/1.1\r\n"))
        #expect(
            requests[0].header("proxy-authorization") == "Basic \(Data("u@:p".utf8).base64EncodedString())")
        #expect(requests[1].head.hasPrefix("GET /bucket/log/1 HTTP/1.1\r\n"))
        #expect(requests[1].header("host") == "store.invalid:81")
        #expect(requests[1].header("proxy-authorization") == nil)
        network.noProxy = [".invalid"]
        let direct = S3Store(location, credentials: credentials, network: network)
        #expect(await storeError { try await Call.get.run(direct) }?.kind == "unreachable")
        #expect(proxy.requests.count == 2)
    }
}

/// Which connections had a request.
private final class Seen: Sendable {
    private let connections = Lock<Set<Int>>([])

    func isFirst(on connection: Int) -> Bool { connections.withLock { $0.insert(connection).inserted } }
}

/// Looks again and again until `condition` holds.
func waitUntil(seconds: Double = 10, _ condition: () async throws -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(seconds)
    while try await !condition() {
        try #require(ContinuousClock.now < end, "it did not come to that in \(seconds) s")
        try await Task.sleep(for: .milliseconds(5))
    }
}
