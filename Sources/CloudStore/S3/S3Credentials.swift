public import Posix

/// The keys that requests are signed with.
public struct S3Credentials: Equatable, Sendable, Confidential {
    public let accessKey: String
    public let secretKey: String
    /// Of credentials that expire.
    public let sessionToken: String?

    public init(accessKey: String, secretKey: String, sessionToken: String? = nil) {
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.sessionToken = sessionToken
    }
}

/// Where credentials usually lie (`cloud account set`): the variables of AWS's tools, then their file.
public enum AWSConfiguration {
    /// - Parameter environment: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN` and
    ///   `AWS_PROFILE` are looked at.
    /// - Parameter file: the text of `~/.aws/credentials`; nil where there is none.
    /// - Parameter profile: given by name, it counts before the variables.
    /// - Throws: why there are none, in one line without any of their text.
    public static func credentials(
        environment: [String: String], file: String?, profile: String? = nil
    ) throws(S3CredentialsError) -> S3Credentials {
        if profile == nil, let access = environment["AWS_ACCESS_KEY_ID"], !access.isEmpty {
            guard let secret = environment["AWS_SECRET_ACCESS_KEY"], !secret.isEmpty else {
                throw S3CredentialsError("AWS_ACCESS_KEY_ID is set, AWS_SECRET_ACCESS_KEY is not")
            }
            return try checked(access, secret, environment["AWS_SESSION_TOKEN"])
        }
        let name = profile ?? environment["AWS_PROFILE"] ?? "default"
        guard let file else {
            throw S3CredentialsError(
                "no credentials are here: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write"
                    + " ~/.aws/credentials")
        }
        guard let values = section(name, of: file) else {
            throw S3CredentialsError("the credentials file has no profile [\(name)]")
        }
        guard let access = values["aws_access_key_id"], let secret = values["aws_secret_access_key"] else {
            throw S3CredentialsError("profile [\(name)] lacks aws_access_key_id or aws_secret_access_key")
        }
        return try checked(access, secret, values["aws_session_token"])
    }

    /// Keys go into headers: one with a control character would forge another header.
    private static func checked(
        _ access: String, _ secret: String, _ token: String?
    ) throws(S3CredentialsError) -> S3Credentials {
        for text in [access, secret, token ?? ""]
        where text.utf8.count > 8192 || !text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) {
            throw S3CredentialsError("a key has a character that no key has")
        }
        let token = token.flatMap { $0.isEmpty ? nil : $0 }
        return S3Credentials(accessKey: access, secretKey: secret, sessionToken: token)
    }

    /// The `name = value` lines below `[name]`; nil where there is no such section.
    private static func section(_ name: String, of file: String) -> [String: String]? {
        var values: [String: String]?
        var isInside = false
        for line in file.split(whereSeparator: \.isNewline) {
            let line = line.trimmingSpaces
            if line.isEmpty || line.hasPrefix("#") || line.hasPrefix(";") { continue }
            if line.hasPrefix("[") {
                isInside = line.hasSuffix("]") && line.dropFirst().dropLast().trimmingSpaces == name
                if isInside { values = values ?? [:] }
            } else if isInside, let equals = line.firstIndex(of: "=") {
                let value = line[line.index(after: equals)...].trimmingSpaces
                values?[line[..<equals].trimmingSpaces.lowercased()] = String(value)
            }
        }
        return values
    }
}

/// Why there are no credentials.
public struct S3CredentialsError: Error, Equatable, Sendable, CustomStringConvertible {
    public let description: String

    init(_ reason: String) { description = reason }
}

extension Substring {
    var trimmingSpaces: Substring {
        var text = drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
