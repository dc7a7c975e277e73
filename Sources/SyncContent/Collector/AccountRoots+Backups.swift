internal import CloudStore
internal import SyncLog

extension AccountRoots {
    /// A snapshot that goes while its list is read was pruned after a newer one came, which an older listing
    /// does not show: so all of them are listed again.
    private static let listings = 5

    /// What backup snapshots refer to. One that cannot be read may need anything.
    /// - Parameter held: gets each chunk, as often as lists that differ have it.
    func readBackups(
        into live: inout LiveSet, held: (HeldChunk) -> Void,
        _ unreadable: Unreadable = { (error) throws(CollectionError) in throw error }
    ) async throws(CollectionError) {
        var read: Set<ObjectKey> = []
        // An app that did not change has the same in each snapshot.
        var lists: Set<ContentHash> = []
        for _ in 0..<Self.listings {
            let listing = try await CollectionError.asking(
                await account.store.listAll(StoreLayout.backupPrefix))
            var isWhole = true
            for object in listing.value where !read.contains(object.key) {
                do {
                    guard let root = try await root(at: object.key) else {
                        isWhole = false
                        continue
                    }
                    for domain in root.domains {
                        for chunk in domain.list.chunks { live.insert(chunk, account.layout) }
                        guard !lists.contains(domain.list.hash) else { continue }
                        domain.list.chunks.forEach(held)
                        try await insert(domain, into: &live, held: held, object.key)
                        lists.insert(domain.list.hash)
                    }
                } catch { try error.pass(to: unreadable) }
                read.insert(object.key)
            }
            if isWhole { return }
        }
        try CollectionError.unreadable(StoreLayout.backupPrefix, "snapshots come and go").pass(to: unreadable)
    }

    /// - Returns: nil for one that is gone.
    private func root(at key: ObjectKey) async throws(CollectionError) -> CloudBackupRoot? {
        guard CloudBackupInfo(key, account.layout) != nil else {
            throw .unreadable(key.text, "no snapshot's name")
        }
        let found = try await CollectionError.asking(await account.store.get(key).value)
        guard let found else { return nil }
        do { return try CloudBackupRoot(found.bytes) } catch { throw .unreadable(key.text, "\(error)") }
    }

    private func insert(
        _ domain: CloudBackupDomain, into live: inout LiveSet, held: (HeldChunk) -> Void, _ key: ObjectKey
    ) async throws(CollectionError) {
        do {
            var cursor = CloudBackups(account).records(of: domain)
            while let (records, after) = try await cursor.advanced() {
                for case .file(let content) in records.map(\.content) {
                    for chunk in content.chunks {
                        live.insert(chunk, account.layout)
                        held(chunk)
                    }
                }
                cursor = after
            }
        } catch {
            throw CollectionError(error, reading: key.text)
        }
    }
}
