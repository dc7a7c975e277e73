/// One request over HTTP and what came of it, in words that need no library.
enum HTTPExchange {
    /// The most of an error's page that is read.
    static let errorBytes = 64 << 10

    struct Request: Sendable {
        var method: String
        var url: String
        var headers: [(name: String, value: String)]
        var body: [UInt8]?
        /// The most that a good reply's body may have.
        var replyBytes = errorBytes
    }

    struct Reply: Sendable {
        let status: Int
        /// Names in lower case.
        let headers: [String: String]
        let body: [UInt8]
    }

    enum Failure: Error, Equatable {
        /// The server was not reached: nothing of the request went out.
        case notSent(String)
        /// The connection was closed before a reply: a kept one that the server no longer wanted, or a
        /// server that died over the request.
        case closed
        /// The request may have been carried out.
        case noReply(String)
        /// The reply has more bytes than were asked for.
        case tooLarge
        case cancelled
    }
}
