public import CloudStore

/// Where the bytes of remote files come from.
public protocol DownloadSource: Sendable {
    /// Hands on a file's bytes from first to last, its chunks where the tree knows them to lie. When it
    /// returns, the whole was compared with the content's hash.
    /// - Throws: what `body` throws as `.local`.
    func download(
        _ content: FileContent, _ body: ([UInt8]) throws(LocalError) -> Void
    ) async throws(DownloadError)
}

/// Why a file did not come.
public enum DownloadError: Error, Equatable, Sendable {
    case store(StoreError)
    /// No locator has such a chunk, or the bytes are wrong ones: the file is unavailable, never empty.
    case unavailable
    /// The disk did not take it.
    case local(LocalError)
}
