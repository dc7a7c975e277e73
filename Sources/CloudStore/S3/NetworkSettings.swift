/// How a store over HTTP reaches its server. Nothing here is read from the environment: a daemon's is not the
/// person's who signed in.
public struct NetworkSettings: Equatable, Sendable {
    /// The proxies of `http://` and of `https://` servers, which are asked for a tunnel (CONNECT) to either;
    /// nil: none.
    public var httpProxy: ProxyAddress?
    public var httpsProxy: ProxyAddress?
    /// Hosts that are reached without: `host`, `.domain`, or `*` for all.
    public var noProxy: [String] = []
    /// A file of certificates (PEM) to trust instead of the system's.
    public var certificatesPath: String?
    public var timeouts = Timeouts()

    public struct Timeouts: Equatable, Sendable {
        public var connectSeconds = 5.0
        /// Without a byte from the server. At least 10: the losers of a conditional put wait 4 s (SeaweedFS).
        public var silenceSeconds = 20.0
        /// For a request of a few bytes, its waiting included. Large ones get more.
        public var requestSeconds = 60.0
        /// A slower line than this is not waited for.
        public var slowestBytesPerSecond = 16384.0
    }
}

extension NetworkSettings {
    /// From `http_proxy`, `https_proxy` and `no_proxy` (in either case; `http_proxy` in lower case only,
    /// since a web server gives its programs `HTTP_PROXY` from a request), `AWS_CA_BUNDLE` and
    /// `SSL_CERT_FILE`.
    public init(environment: [String: String]) throws(StoreURLError) {
        func value(_ names: String...) -> String? {
            names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        }
        self.init(
            noProxy: (value("no_proxy", "NO_PROXY") ?? "").split(separator: ",").map {
                String($0.trimmingSpaces).lowercased()
            },
            certificatesPath: value("AWS_CA_BUNDLE", "SSL_CERT_FILE"))
        if let text = value("http_proxy") { httpProxy = try ProxyAddress(text) }
        if let text = value("https_proxy", "HTTPS_PROXY") { httpsProxy = try ProxyAddress(text) }
    }

    /// The proxy to this server; nil: none.
    func proxy(to server: S3Endpoint) -> ProxyAddress? {
        let isExempt = noProxy.contains { name in
            let domain = name.dropping(prefix: "*.") ?? name.dropping(prefix: ".") ?? name[...]
            return name == "*" || server.host == domain || server.host.hasSuffix("." + domain)
        }
        return isExempt ? nil : server.isSecure ? httpsProxy : httpProxy
    }
}

/// `http://user:password@host:port`. Its text leaves out user and password.
public struct ProxyAddress: Equatable, Sendable, CustomStringConvertible {
    let server: S3Endpoint
    let user: String?
    let password: String?

    public init(_ text: String) throws(StoreURLError) {
        let rest = text.dropping(prefix: "http://") ?? text[...]
        guard !rest.contains("://") else {
            throw StoreURLError("only proxies of http:// are known")
        }
        guard let at = rest.lastIndex(of: "@") else {
            server = try S3Endpoint("http://\(rest)")
            (user, password) = (nil, nil)
            return
        }
        server = try S3Endpoint("http://\(rest[rest.index(after: at)...])")
        let parts = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let user = PercentEncoding.decode(parts[0]),
            let password = PercentEncoding.decode(parts.count > 1 ? parts[1] : "")
        else { throw StoreURLError("the proxy's user or password is not encoded as in a URL") }
        (self.user, self.password) = (user, password)
    }

    public var description: String { server.description }
}
