public import CloudStore

/// Where downloaded bytes come from: chunks of the store, by the locators that the tree knows.
public protocol ContentSource: Sendable {
    /// Hands on a file's bytes from first to last in runs of at most 4 MiB, each chunk's hash checked.
    /// - Throws: what `body` throws; `FetchError` otherwise.
    func read(
        _ content: FileContent, _ body: ([UInt8]) throws(LocalError) -> Void
    ) async throws(FetchError)
}

/// Why bytes did not come.
public enum FetchError: Error, Equatable, Sendable {
    case store(StoreError)
    /// The store has no such chunk under any of its locators, or has wrong bytes: the file is unavailable.
    case unavailable(ContentHash)
    /// The disk did not take them.
    case local(LocalError)
}
