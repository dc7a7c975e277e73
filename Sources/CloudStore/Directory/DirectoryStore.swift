internal import CLinux
public import Posix
public import StoreBasics
internal import SystemPackage

/// A store in a folder: the embedded default, and good between devices of one machine.
///
/// A slot is claimed by link(2), which one of any number of processes wins. What is acknowledged, or read, is
/// on the disk with its name, so that an answer holds after a loss of power too.
public final class DirectoryStore: ObjectStore {
    /// The folder, as it was given.
    public let path: String
    /// The user that owns the files; nil: this process's.
    let rights: UserRights?
    private let folder: StoreFolder
    private let pool: BlockingPool
    /// Whether writes may use the room that is kept in the folder.
    private let usesReserve: Bool

    /// Touches nothing yet: a folder that is not there is `.missing` in each answer, not an empty store.
    /// - Parameters:
    ///   - path: an absolute path, of a folder that `create(at:)` made.
    ///   - rights: for root who serves a user: with them everything is read and written.
    ///   - isOwn: whether an open folder lies in what this process serves itself, and is refused.
    public init(
        path: String, rights: UserRights? = nil,
        isOwn: @escaping @Sendable (borrowing Descriptor) -> Bool = { _ in false }
    ) {
        self.path = path
        self.rights = rights
        folder = StoreFolder(path: path, isOwn: isOwn)
        pool = BlockingPool(threads: 4)
        usesReserve = false
    }

    private init(forRecordsOf store: DirectoryStore) {
        (path, rights, folder, pool) = (store.path, store.rights, store.folder, store.pool)
        usesReserve = true
    }

    public var forRecords: any ObjectStore { DirectoryStore(forRecordsOf: self) }

    public func freeBytes() async -> UInt64? {
        try? await run { folder throws(StoreError) in try folder.freeBytes() }.value
    }

    /// Makes the folder (mode 0700, its missing parents too) and what marks it as a store, if they are not
    /// there.
    public static func create(at path: String) throws(StoreError) { try StoreFolder(path: path).create() }

    /// The clock is that of whoever last mounted the folder's disk, or of the server that has it.
    public var traits: StoreTraits { StoreTraits(clockIsOurs: true, parallelRequests: 4) }

    public func putIfAbsent(
        _ bytes: [UInt8], at key: ObjectKey
    ) async throws(StoreError) -> Dated<PutOutcome> {
        try StoreLimits.check(bytes)
        let written = try await call { [usesReserve] folder throws(StoreError) in
            try folder.write(bytes, at: key, replacing: false, usesReserve)
        }
        return Dated(written.value ? .written : .occupied, at: written.date)
    }

    public func put(_ bytes: [UInt8], at key: ObjectKey) async throws(StoreError) -> Dated<Void> {
        try StoreLimits.check(bytes)
        let written = try await call { [usesReserve] folder throws(StoreError) in
            try folder.write(bytes, at: key, replacing: true, usesReserve)
        }
        return Dated((), at: written.date)
    }

    public func get(_ key: ObjectKey, range: Range<UInt64>?) async throws(StoreError) -> Dated<StoredObject?>
    {
        try await run { folder throws(StoreError) in try folder.read(key, range: range) }
    }

    public func head(_ key: ObjectKey) async throws(StoreError) -> Dated<ObjectInfo?> {
        try await run { folder throws(StoreError) in try folder.info(key) }
    }

    public func list(
        _ prefix: String, after: ObjectKey?, limit: Int
    ) async throws(StoreError) -> Dated<ObjectListing> {
        try await run { folder throws(StoreError) in
            try folder.list(prefix, after: after, limit: StoreLimits.listed(limit))
        }
    }

    public func delete(_ key: ObjectKey) async throws(StoreError) -> Dated<Void> {
        try await run { folder throws(StoreError) in try folder.remove(key) }
    }

    public func ownTime() async -> StoreTime? {
        try? await call { folder throws(StoreError) in folder.time() }
    }

    public func keepDates(in bounds: ClosedRange<StoreTime>) { folder.clock.keep(in: bounds) }

    /// The date is of the moment before: nothing that comes later may seem to be in the answer. What writes
    /// a file has its time, which is of such a moment too.
    private func run<R: Sendable>(
        _ body: @escaping @Sendable (StoreFolder) throws(StoreError) -> R
    ) async throws(StoreError) -> Dated<R> {
        try await call { folder throws(StoreError) in
            let date = folder.clock.date(of: folder.time())
            return Dated(try body(folder), at: date)
        }
    }

    private func call<R: Sendable>(
        _ body: @escaping @Sendable (StoreFolder) throws(StoreError) -> R
    ) async throws(StoreError) -> R {
        let (folder, rights) = (self.folder, self.rights)
        return try await pool.run { () throws(StoreError) in
            guard let rights else { return try body(folder) }
            let outcome: Result<R, StoreError>
            do throws(Errno) {
                outcome = try rights.calling { () throws(Errno) in
                    Result { () throws(StoreError) in try body(folder) }
                }
            } catch {
                throw StoreError(error, folder.path)
            }
            return try outcome.get()
        }
    }
}
