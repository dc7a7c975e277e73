internal import Posix

/// A bucket of a server that speaks S3, and the place in it:
/// `s3://bucket/prefix?endpoint=http://host:port&region=us-east-1&style=path|host`.
public struct S3Location: Equatable, Sendable, CustomStringConvertible {
    public let bucket: String
    /// Without a `/` at either end; may be empty.
    public let prefix: String
    /// Nil: Amazon's, of the region.
    public let endpoint: S3Endpoint?
    public let region: String
    public let style: Style

    /// Where the bucket stands in an address.
    public enum Style: String, Equatable, Sendable {
        /// `https://endpoint/bucket/key`
        case path
        /// `https://bucket.endpoint/key`
        case host
    }

    public init(
        bucket: String, prefix: String = "", endpoint: S3Endpoint? = nil, region: String? = nil,
        style: Style? = nil
    ) throws(StoreURLError) {
        self.bucket = try Self.checked(bucket: bucket)
        self.prefix = try Self.checked(prefix: prefix)
        self.endpoint = endpoint
        self.region = try Self.checked(region: region ?? "us-east-1")
        // A certificate for *.endpoint does not cover a bucket with a dot.
        let usual: Style = endpoint == nil && !bucket.contains(".") ? .host : .path
        self.style = style ?? usual
    }

    /// - Parameter rest: what follows `s3://`.
    init(afterScheme rest: Substring) throws(StoreURLError) {
        guard !rest.contains("#") else { throw StoreURLError("s3://\(rest): # has no meaning here") }
        let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let place = parts[0].parts(between: "/", keepingEmpty: true)
        let options = try Self.options(parts.count > 1 ? parts[1] : "")
        var style: Style?
        if let text = options["style"] {
            guard let known = Style(rawValue: text) else {
                throw StoreURLError("style is path or host, not \(text)")
            }
            style = known
        }
        var endpoint: S3Endpoint?
        if let text = options["endpoint"] { endpoint = try S3Endpoint(text) }
        var prefix = place.dropFirst().joined(separator: "/")
        if prefix.hasSuffix("/") { prefix.removeLast() }
        try self.init(
            bucket: place[0], prefix: prefix, endpoint: endpoint,
            region: options["region"], style: style)
    }

    public var description: String {
        let endpoint = endpoint.map { "endpoint=\($0)&" } ?? ""
        let usual: Style = self.endpoint == nil && !bucket.contains(".") ? .host : .path
        let style = style == usual ? "" : "&style=\(style.rawValue)"
        return "s3://\(bucket)\(prefix.isEmpty ? "" : "/" + prefix)?\(endpoint)region=\(region)\(style)"
    }

    /// The server's own address: without the bucket.
    var server: S3Endpoint {
        let domain = region.hasPrefix("cn-") ? "amazonaws.com.cn" : "amazonaws.com"
        return endpoint ?? S3Endpoint(isSecure: true, host: "s3.\(region).\(domain)", port: nil)
    }

    private static func options(_ text: Substring) throws(StoreURLError) -> [String: String] {
        var options: [String: String] = [:]
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            guard ["endpoint", "region", "style"].contains(name) else {
                throw StoreURLError("s3:// knows the options endpoint, region and style, not \(name)")
            }
            guard parts.count == 2, let value = PercentEncoding.decode(parts[1]), !value.isEmpty else {
                throw StoreURLError("the option \(name) has no value")
            }
            guard options.updateValue(value, forKey: name) == nil else {
                throw StoreURLError("the option \(name) is given twice")
            }
        }
        return options
    }

    private static func checked(bucket: String) throws(StoreURLError) -> String {
        // The rules of Amazon; others allow more, and disagree on what.
        let isName =
            (3...63).contains(bucket.utf8.count) && ObjectKey(bucket) != nil
            && !bucket.hasSlash && !bucket.contains("_") && !bucket.contains("..")
        guard isName, let first = bucket.first, let last = bucket.last,
            first.isLetter || first.isNumber, last.isLetter || last.isNumber
        else {
            throw StoreURLError("a bucket has 3 to 63 characters of a-z, 0-9, . and -, unlike \"\(bucket)\"")
        }
        return bucket
    }

    private static func checked(prefix: String) throws(StoreURLError) -> String {
        guard prefix.isEmpty || ObjectKey(prefix.lowercased()) != nil, prefix.utf8.count <= 256 else {
            throw StoreURLError(
                "the prefix \"\(prefix)\" is not made of letters, digits, . _ and - with / between")
        }
        return prefix
    }

    private static func checked(region: String) throws(StoreURLError) -> String {
        guard (1...64).contains(region.utf8.count), ObjectKey(region) != nil, !region.hasSlash else {
            throw StoreURLError("\"\(region)\" is no region, such as eu-central-1")
        }
        return region
    }
}

/// The address of a server: `https://host:port`.
public struct S3Endpoint: Equatable, Sendable, CustomStringConvertible {
    public let isSecure: Bool
    /// A name, an IPv4 address, or an IPv6 address in brackets.
    public let host: String
    /// Nil: 443 or 80.
    public let port: UInt16?

    public var description: String { (isSecure ? "https://" : "http://") + authority }

    /// As the Host header has it.
    var authority: String { host + (port.map { ":\($0)" } ?? "") }
}

extension S3Endpoint {
    /// - Parameter text: with `https://`, `http://` or neither, which means https.
    public init(_ text: String) throws(StoreURLError) {
        let bare = StoreURLError("the endpoint \(text) is not like https://host or http://host:port")
        isSecure = !text.hasPrefix("http://")
        var rest = text.dropping(prefix: "http://") ?? text.dropping(prefix: "https://") ?? text[...]
        if rest.hasSuffix("/") { rest.removeLast() }
        let hostEnd =
            rest.hasPrefix("[") ? rest.firstIndex(of: "]").map(rest.index(after:)) : rest.firstIndex(of: ":")
        let host = rest[..<(hostEnd ?? rest.endIndex)].lowercased()
        let portText = rest[(hostEnd ?? rest.endIndex)...]
        guard Self.isHost(host) else { throw bare }
        self.host = host
        if portText.isEmpty {
            port = nil
        } else {
            guard portText.first == ":", let port = UInt16(portText.dropFirst()), port > 0 else { throw bare }
            self.port = port == (isSecure ? 443 : 80) ? nil : port
        }
    }

    private static func isHost(_ host: String) -> Bool {
        if let inner = host.dropping(prefix: "["), inner.hasSuffix("]") {
            return inner.dropLast().contains(":")
                && inner.dropLast().allSatisfy { $0.isHexDigit || $0 == ":" }
        }
        return ObjectKey(host) != nil && !host.hasSlash && host.utf8.count <= 253
    }
}
