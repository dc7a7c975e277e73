internal import CloudStore
package import SandboxRules
package import SyncContent
package import SyncLog

/// Reads an account without being one of its devices: entries of a log, and the bytes of contents.
package struct AccountReader: Sendable {
    package let account: Account
    private let content: ContentReader

    package init(_ account: Account) {
        self.account = account
        content = ContentReader(account)
    }

    /// The commit in a slot of an app's log; nil where the log is cut off above it.
    /// - Throws: `SyncTrouble`.
    package func commit(_ slot: UInt64, of app: BundleIdentifier) async throws(SyncTrouble) -> Commit? {
        do {
            let key = account.layout.logEntry(.container(account.layout.container(app)), slot)
            guard let object = try await account.store.get(key).value else { return nil }
            guard case .entry(let entry) = try LogEntry.decode(object.bytes) else {
                throw SyncTrouble.unknownFormat("entry \(slot)")
            }
            if let commit = entry.commit { return commit }
            guard case .spilled(let spilled) = entry.body else { return nil }
            return try entry.commit(spilled: try await content.bytes(of: LocatedChunk(spilled)))
        } catch {
            throw SyncTrouble(error) ?? .storeLies("entry \(slot) of the log")
        }
    }

    /// A file's bytes, in runs of at most 4 MiB, compared with their hash.
    /// - Throws: `SyncTrouble`, at the end where the whole is not what it should be.
    package func download(
        _ file: LocatedContent, _ body: ([UInt8]) async throws(ContentError) -> Void
    ) async throws(SyncTrouble) {
        do { try await content.download(file, body) } catch { throw SyncFailure(error).plain }
    }

    /// Bytes of a file from `offset` on, fewer at its end.
    /// - Throws: `SyncTrouble`.
    package func read(
        _ file: LocatedContent, at offset: UInt64, count: Int
    ) async throws(SyncTrouble) -> [UInt8] {
        do {
            return try await content.read(file, at: offset, count: count)
        } catch {
            throw SyncFailure(error).plain
        }
    }
}

extension TreeStorage {
    /// Where the chunks of a content of this tree lie.
    /// - Throws: `ContentError.malformed`; what the database throws.
    package func located(_ content: FileContent) throws -> LocatedContent {
        var places: [ContentHash: [Locator]] = [:]
        for chunk in content.chunks { places[chunk.hash] = try locators(of: chunk.hash) }
        return try LocatedContent(content) { places[$0] ?? [] }
    }
}
