internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL

/// Connections to one server, kept and shared: the one file that knows the HTTP library.
final class HTTPConnections: Sendable {
    private let client: HTTPClient
    private let timeouts: NetworkSettings.Timeouts
    /// Requests beyond these wait here. In the library's own queue they would fail as if nobody could be
    /// reached, as soon as the time to connect is over.
    private let places = RequestPlaces(limit: HTTPConnections.inFlight)

    static let inFlight = 64

    init(to server: S3Endpoint, _ settings: NetworkSettings) {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.httpVersion = .http1Only
        configuration.decompression = .disabled
        configuration.timeout.connect = Self.amount(settings.timeouts.connectSeconds)
        configuration.timeout.read = Self.amount(settings.timeouts.silenceSeconds)
        configuration.timeout.write = Self.amount(settings.timeouts.silenceSeconds)
        // Shorter than servers keep theirs (60 s is usual): one that the server has closed fails a request.
        configuration.connectionPool.idleTimeout = .seconds(20)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = Self.inFlight
        // Otherwise a refused connection is tried again until the whole time to connect is over.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.proxy = settings.proxy(to: server).map(Self.proxy)
        if let path = settings.certificatesPath {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .file(path)
            configuration.tlsConfiguration = tls
        }
        client = HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
        timeouts = settings.timeouts
    }

    deinit { client.shutdown { _ in } }

    /// Sends a request, once.
    func send(_ request: HTTPExchange.Request) async throws(HTTPExchange.Failure) -> HTTPExchange.Reply {
        try await places.take()
        defer { places.giveBack() }
        do {
            var message = HTTPClientRequest(url: request.url)
            message.method = HTTPMethod(rawValue: request.method)
            for (name, value) in request.headers { message.headers.add(name: name, value: value) }
            if let body = request.body { message.body = .bytes(ByteBuffer(bytes: body)) }
            let expected = Double((request.body?.count ?? 0) + request.replyBytes)
            let seconds = timeouts.requestSeconds + expected / timeouts.slowestBytesPerSecond
            let response = try await client.execute(message, deadline: .now() + Self.amount(seconds))
            return try await Self.reply(response, to: request)
        } catch {
            throw Self.failure(error)
        }
    }

    private static func reply(
        _ response: HTTPClientResponse, to request: HTTPExchange.Request
    ) async throws -> HTTPExchange.Reply {
        let limit = response.status.code < 300 ? request.replyBytes : HTTPExchange.errorBytes
        var body: [UInt8] = []
        if let length = response.headers.first(name: "content-length").flatMap({ Int($0) }), length <= limit {
            body.reserveCapacity(length)
        }
        for try await part in response.body {
            guard body.count + part.readableBytes <= limit else { throw HTTPExchange.Failure.tooLarge }
            part.withUnsafeReadableBytes { body.append(contentsOf: $0) }
        }
        return HTTPExchange.Reply(
            status: Int(response.status.code),
            headers: Dictionary(
                response.headers.map { ($0.name.lowercased(), $0.value) },
                uniquingKeysWith: { first, _ in first }),
            body: body)
    }

    /// What is certain not to have gone out is told apart from what may have.
    private static func failure(_ error: any Error) -> HTTPExchange.Failure {
        switch error {
        case let error as HTTPExchange.Failure: return error
        case is CancellationError: return .cancelled
        case let error as HTTPClientError:
            switch error {
            case .cancelled: return .cancelled
            case .connectTimeout, .getConnectionFromPoolTimeout, .tlsHandshakeTimeout,
                .httpProxyHandshakeTimeout, .invalidProxyResponse, .proxyAuthenticationRequired, .invalidURL,
                .emptyHost:
                return .notSent(error.shortDescription)
            case .remoteConnectionClosed: return .closed
            default: return .noReply(error.shortDescription)
            }
        case let error as NIOConnectionError:
            return .notSent(error.connectionErrors.first.map { "\($0.error)" } ?? "\(error.host) is unknown")
        case let error as NIOSSLError: return .notSent("TLS: \(error)")
        case let error as NIOSSLExtraError: return .notSent("TLS: \(error)")
        case ChannelError.connectTimeout: return .notSent("no connection in time")
        case let error as IOError where whileConnecting.contains(error.errnoCode):
            return .notSent(error.description)
        case let error as IOError where whileConnected.contains(error.errnoCode): return .closed
        default: return .noReply("\(error)")
        }
    }

    /// ENFILE, EMFILE, EADDRNOTAVAIL, ENETDOWN, ENETUNREACH, ECONNREFUSED, EHOSTDOWN, EHOSTUNREACH. A
    /// connection that stands could report some of these too, but only after 15 minutes without an answer,
    /// and it is not waited for so long.
    private static let whileConnecting: Set<CInt> = [23, 24, 99, 100, 101, 111, 112, 113]
    /// EPIPE, ECONNRESET
    private static let whileConnected: Set<CInt> = [32, 104]

    private static func proxy(_ address: ProxyAddress) -> HTTPClient.Configuration.Proxy {
        .server(
            host: address.server.host, port: Int(address.server.port ?? 80),
            authorization: address.user.map { .basic(username: $0, password: address.password ?? "") })
    }

    private static func amount(_ seconds: Double) -> TimeAmount { .milliseconds(Int64(seconds * 1000)) }
}
