internal import CloudStore
internal import StoreBasics
internal import SyncLog

/// The backup snapshots of an account: which there are, what they hold, which stay.
package struct CloudBackups: Sendable {
    /// More than anybody keeps: what lists more is somebody's mischief.
    private static let limit = 100_000

    let account: Account
    private let reader: ContentReader

    /// - Parameter limit: of what is got.
    package init(_ account: Account, limit: RateLimit? = nil) {
        self.account = account
        reader = ContentReader(account, limit: limit)
    }

    /// By device, then by time. Keys that no device makes are left out: for the collector see `AccountRoots`.
    package func list() async throws(CloudBackupError) -> [CloudBackupInfo] {
        try await list(below: StoreLayout.backupPrefix)
    }

    func list(of device: DeviceID) async throws(CloudBackupError) -> [CloudBackupInfo] {
        try await list(below: account.layout.backupPrefix(of: device))
    }

    private func list(below prefix: String) async throws(CloudBackupError) -> [CloudBackupInfo] {
        let found = try await CloudBackupError.asking(await account.store.listAll(prefix))
        guard found.value.count <= Self.limit else { throw .damaged("there are too many snapshots") }
        return found.value.compactMap { CloudBackupInfo($0.key, account.layout) }
    }

    /// - Throws: `.damaged` where it is gone, or none.
    package func root(of info: CloudBackupInfo) async throws(CloudBackupError) -> CloudBackupRoot {
        let found = try await CloudBackupError.asking(await account.store.get(info.key).value)
        guard let found else { throw .damaged("it is gone") }
        do { return try CloudBackupRoot(found.bytes) } catch { throw .damaged("its root: \(error)") }
    }

    /// As `root`; nil where it cannot be read or is gone.
    /// - Throws: where the store does not answer.
    package func readableRoot(of info: CloudBackupInfo) async throws(CloudBackupError) -> CloudBackupRoot? {
        do { return try await root(of: info) } catch {
            if case .content = error { throw error }
            return nil
        }
    }

    /// The beginning of a domain's list.
    package func records(of domain: CloudBackupDomain) -> CloudBackupCursor {
        CloudBackupCursor(domain, reader)
    }

    /// The bytes of chunks, in order; the caller bounds how many.
    package func bytes(of chunks: [HeldChunk]) async throws(CloudBackupError) -> [[UInt8]] {
        let located = chunks.map { LocatedChunk($0.chunk) }
        return try await CloudBackupError.content(await reader.bytes(of: located))
    }

    /// Removes a device's snapshots that are not to be kept; their chunks go with a later collection.
    /// - Parameter newest: the one just made, which always stays.
    /// - Returns: how many went.
    package func prune(
        _ keep: KeptBackups, newest: CloudBackupInfo
    ) async throws(CloudBackupError) -> Int {
        let made = try await list(of: newest.device).filter { $0.time <= newest.time }
        let gone = keep.gone(of: made, at: newest.time)
        // The oldest first: what stays is a chain at any moment.
        for info in gone {
            _ = try await CloudBackupError.asking(await account.store.delete(info.key))
        }
        return gone.count
    }
}

/// Which of a device's snapshots stay.
package enum KeptBackups: Equatable, Sendable {
    /// So many, the newest.
    case newest(Int)
    /// Those that are not older, in seconds.
    case younger(Int64)

    /// - Parameter made: ascending; the newest always stays.
    func gone(of made: [CloudBackupInfo], at now: StoreTime) -> [CloudBackupInfo] {
        switch self {
        case .newest(let count): return Array(made.dropLast(max(count, 1)))
        case .younger(let seconds):
            return made.dropLast().filter { now.seconds(since: $0.time) > seconds }
        }
    }
}
