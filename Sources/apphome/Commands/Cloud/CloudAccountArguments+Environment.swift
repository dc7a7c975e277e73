internal import CloudStore
internal import Glibc
internal import Posix
internal import Wire

extension CloudAccountArguments {
    private static let networkVariables = [
        "http_proxy", "https_proxy", "HTTPS_PROXY", "no_proxy", "NO_PROXY", "AWS_CA_BUNDLE", "SSL_CERT_FILE",
    ]

    /// What a daemon has to know of an account, for it reads no environment: keys as AWS's tools find them,
    /// or with a profile where they lie.
    /// - Throws: a URL that is none; no keys for an S3 store.
    init(_ text: String, profile: String?) throws {
        let url = try StoreURL(text)
        self.init(url: url.description)
        guard case .s3 = url else { return }
        for name in Self.networkVariables { network[name] = environment(name) }
        let file =
            environment("AWS_SHARED_CREDENTIALS_FILE") ?? (environment("HOME") ?? "") + "/.aws/credentials"
        let text = try? String(
            decoding: Descriptor(file, flags: O_RDONLY).readAll(limitBytes: 1 << 20), as: UTF8.self)
        let names = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"]
        let variables = Dictionary(uniqueKeysWithValues: names.map { ($0, environment($0) ?? "") })
            .filter { !$0.value.isEmpty }
        let credentials = try AWSConfiguration.credentials(
            environment: variables, file: text, profile: profile)
        if let profile {
            (self.profile, credentialsFile) = (profile, try absolute(file))
        } else {
            accessKeyID = credentials.accessKey
            secretAccessKey = credentials.secretKey
            sessionToken = credentials.sessionToken
        }
    }
}
