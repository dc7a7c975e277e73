package import CloudStore
package import SyncContent
package import SyncLog

/// Where the bytes of remote files come from.
package protocol DownloadSource: Sendable {
    /// Hands on a file's bytes from first to last, its chunks where the tree knows them to lie. When it
    /// returns, the whole was compared with the content's hash.
    /// - Throws: what `body` throws as `.local`.
    func download(
        _ content: FileContent, _ body: ([UInt8]) throws(LocalError) -> Void
    ) async throws(DownloadError)
    /// The bytes of small files, together in few requests; nil for what did not come, or not right:
    /// `download` says why.
    func fetch(_ contents: [FileContent]) async -> [[UInt8]?]
}

extension DownloadSource {
    package func fetch(_ contents: [FileContent]) async -> [[UInt8]?] { contents.map { _ in nil } }
}

/// Why a file did not come.
package enum DownloadError: Error, Equatable, Sendable {
    case store(StoreError)
    /// No locator has such a chunk, or the bytes are wrong ones: the file is unavailable, never empty.
    case unavailable
    /// The disk did not take it.
    case local(LocalError)
}
