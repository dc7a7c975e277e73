package import CloudStore
package import SyncLog

/// Why bytes did not go up or come down.
package enum ContentError: StoreFailure, Equatable, Sendable {
    case store(StoreError)
    /// At none of its locators is this chunk: refresh the tree and ask once more; then the file is
    /// "unavailable", never empty.
    case unavailable(ContentHash)
    /// What the store has for this chunk is something else. Nothing of it was handed on.
    case wrongBytes(ContentHash)
    /// The chunks are what they should be and the file they make is not: its commit lied.
    case wrongFile(ContentHash)
    /// Chunks that cannot make a file: sizes that do not add up, or larger than any chunk.
    case malformed(String)
    /// The file to be sent is not what was planned any more, or may not leave the device: freeze anew.
    case changed
    /// Something else lies under a key of our own.
    case occupied(ObjectKey)
    /// What a local file said when it was read.
    case local(LocalError)
}

/// Errors that those of a store become.
protocol StoreFailure: Error {
    static func store(_ error: StoreError) -> Self
}

extension StoreFailure {
    /// What the store answers.
    static func asking<Value: Sendable>(
        _ request: @autoclosure () async throws(StoreError) -> Value
    ) async throws(Self) -> Value {
        do { return try await request() } catch { throw store(error) }
    }
}
