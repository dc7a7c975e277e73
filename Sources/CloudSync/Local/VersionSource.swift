internal import Posix
internal import StoreBasics
internal import SyncContent
internal import SyncLog
internal import SystemPackage

/// Where the versions of an app that syncs have their bytes, and where it is written down that they are
/// dropped; until sync of the app ends.
final class VersionSource: Sendable {
    typealias Open = @Sendable () async throws(SyncTrouble) -> Account

    private let reader: LateStorage
    private let wake: @Sendable () -> Void
    private let failed: @Sendable (SyncTrouble) -> Void

    private struct Ways {
        let writer: LateStorage
        let open: Open
        /// Opened when the first bytes are read. It keeps some for the next read.
        var account: AccountReader?
        var places: (revision: Revision, content: LocatedContent)?
    }

    /// Nil once sync of the app has ended.
    private let ways: Lock<Ways?>
    /// So long a read waits for the store.
    private static let patienceSeconds = 30

    init(
        reader: LateStorage, writer: LateStorage, open: @escaping Open,
        wake: @escaping @Sendable () -> Void, failed: @escaping @Sendable (SyncTrouble) -> Void
    ) {
        self.reader = reader
        self.wake = wake
        self.failed = failed
        ways = Lock(Ways(writer: writer, open: open), rank: .leaf)
    }

    func end() { _ = ways.withLock { $0.take() } }

    /// - Throws: EIO where it cannot be written down.
    func drop(_ file: FileID, _ revisions: [Revision]) throws(Errno) {
        guard let writer = ways.withLock({ $0?.writer }) else { throw .ioError }
        do {
            try writer.write { try $0.drop(revisions, of: file) }
        } catch { throw .ioError }
        wake()
    }

    /// - Parameter revisions: the version's set; it may be history by now.
    func read(
        _ file: FileID, _ revisions: [Revision], at offset: UInt64, count: Int
    ) async throws -> [UInt8] {
        do throws(SyncTrouble) {
            return try await withPatience { [self] () async throws(SyncTrouble) in
                let content = try places(file, revisions)
                return try await account().read(content, at: offset, count: count)
            }
        } catch {
            // Chunks move: the next read looks anew where they lie.
            ways.withLock { $0?.places = nil }
            failed(error)
            throw error
        }
    }

    private func account() async throws(SyncTrouble) -> AccountReader {
        let (known, open) = ways.withLock { ($0?.account, $0?.open) }
        if let known { return known }
        guard let open else { throw .storeAway("sync of the app has ended") }
        let account = AccountReader(try await open())
        ways.withLock { $0?.account = account }
        return account
    }

    private func places(_ file: FileID, _ revisions: [Revision]) throws(SyncTrouble) -> LocatedContent {
        let known = ways.withLock { $0?.places }
        if let known, revisions.contains(known.revision) { return known.content }
        let found: LocatedContent?
        do { found = try reader.read { try $0.located(file, revisions) } } catch { throw .disk("\(error)") }
        guard let found, let revision = revisions.first else {
            throw .storeLies("a version that is not there any more")
        }
        ways.withLock { $0?.places = (revision, found) }
        return found
    }

    private func withPatience<Result: Sendable>(
        _ body: @escaping @Sendable () async throws(SyncTrouble) -> Result
    ) async throws(SyncTrouble) -> Result {
        let outcome = await withTaskGroup(of: Swift.Result<Result, SyncTrouble>.self) { group in
            group.addTask {
                do throws(SyncTrouble) { return .success(try await body()) } catch { return .failure(error) }
            }
            group.addTask {
                try? await Task.sleep(for: .seconds(Self.patienceSeconds))
                return .failure(.storeSlow)
            }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(.storeSlow)
        }
        return try outcome.get()
    }
}

extension SyncTransaction {
    /// Where the bytes lie of a content that an item has or had.
    fileprivate func located(_ file: FileID, _ revisions: [Revision]) throws -> LocatedContent? {
        let node = try item(file)
        let older = try history(of: node?.id ?? file).map(\.version)
        let version = ((node?.contents ?? []) + older).first { version in
            revisions.contains { version.revisions.contains($0) }
        }
        return try version?.content.file.map { try located($0) }
    }
}
