internal import Posix

/// Where an account's store is, as a person writes it: `file:///path`, `s3://bucket/prefix?…`, or `none`.
public enum StoreURL: Equatable, Sendable, CustomStringConvertible {
    /// A folder, by its absolute path.
    case folder(String)
    case s3(S3Location)
    /// Signed out: nothing syncs.
    case none

    /// - Throws: `StoreURLError` with the reason, in one line.
    public init(_ text: String) throws(StoreURLError) {
        if text == "none" {
            self = .none
        } else if let rest = text.dropping(prefix: "file://") {
            self = .folder(try Self.folder(rest))
        } else if let rest = text.dropping(prefix: "s3://") {
            self = .s3(try S3Location(afterScheme: rest))
        } else {
            throw StoreURLError("an account is file:///path, s3://bucket/prefix or none, not \(text)")
        }
    }

    /// The URL again; parsing it gives an equal value.
    public var description: String {
        switch self {
        case .folder(let path): "file://" + PercentEncoding.encode(path, keepingSlashes: true)
        case .s3(let location): location.description
        case .none: "none"
        }
    }

    private static func folder(_ rest: Substring) throws(StoreURLError) -> String {
        guard rest.isAbsolutePath else {
            throw StoreURLError("file:// takes an absolute path: file:///path, not file://\(rest)")
        }
        guard !rest.contains("?"), !rest.contains("#") else {
            throw StoreURLError("file:///path takes no options; write ? as %3F and # as %23")
        }
        guard let path = PercentEncoding.decode(rest), !path.utf8.contains(0) else {
            throw StoreURLError(
                "file://\(rest) has a % that two hexadecimal digits of a character do not follow")
        }
        let parts = path.pathParts
        guard !parts.isEmpty, !parts.contains("."), !parts.contains("..") else {
            throw StoreURLError("file://\(rest) is no plain path of a folder: leave out . and ..")
        }
        return "/" + parts.joined(separator: "/")
    }
}

/// Why a text is no URL of a store.
public struct StoreURLError: Error, Equatable, Sendable, CustomStringConvertible {
    public let description: String

    init(_ reason: String) { description = reason }
}

/// RFC 3986, as AWS signs it: unreserved characters stand for themselves.
enum PercentEncoding {
    static func encode(_ text: String, keepingSlashes: Bool) -> String {
        var encoded = ""
        for byte in text.utf8 {
            if isUnreserved(byte) || (keepingSlashes && byte == UInt8(ascii: "/")) {
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                encoded += "%" + Hex.text([byte]).uppercased()
            }
        }
        return encoded
    }

    /// Nil where the text is not encoded so, or encodes no UTF-8.
    static func decode(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte != UInt8(ascii: "%") {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            guard digits.count == 2, let digits = String(digits),
                let decoded = Hex.bytes(digits.lowercased())
            else { return nil }
            bytes += decoded
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        default: false
        }
    }
}

extension StringProtocol {
    func dropping(prefix: String) -> SubSequence? {
        hasPrefix(prefix) ? dropFirst(prefix.count) : nil
    }
}
