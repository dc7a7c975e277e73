internal import CloudStore
internal import StoreBasics
package import SyncLog

/// What the store had when a run began: which chunks may be relied on is judged by it alone, with a LIST for
/// a thousand objects in place of a HEAD for each.
package struct CloudBackupStart: Sendable {
    /// Of the LIST's first reply, and before it.
    var moment: StoreMoment
    /// 100 bytes of memory for each 600 KiB or more that the account has.
    var objects: [StoredName: ObjectInfo]
    /// The device's newest snapshot, where it could be read.
    let base: CloudBackupInfo?
    let baseRoot: CloudBackupRoot?
    /// Later than that of every snapshot of the device.
    let earliest: StoreTime
    /// What this device's trees know of chunks.
    var trees: [KnownTree]
    /// Of the store.
    let traits: StoreTraits

    /// The tree of a container, and the log's end where the tree had come to it.
    struct KnownTree: Sendable {
        let container: ContainerName
        let storage: any TreeDatabase
        var end: UInt64?
    }

    /// Whether an object may be relied on until a commit that follows within `graceSeconds`/4.
    func isPresent(
        _ chunk: Chunk, _ known: KnownChunk, _ layout: StoreLayout, _ retention: AccountRetention,
        _ rules: SafetyRules
    ) -> Bool {
        guard let info = objects[layout.name(of: chunk.hash, at: chunk.locator)],
            chunk.fits(info.sizeBytes)
        else { return false }
        return retention.isPresent(info, at: moment.date, of: traits, known: known, rules)
    }

    /// The same of a chunk that the new snapshot refers to already.
    func isPresent(
        _ row: IndexedChunk, _ layout: StoreLayout, _ retention: AccountRetention,
        _ rules: SafetyRules
    ) throws -> Bool {
        let (chunk, isOld) = (row.chunk.chunk, row.marks.contains(.base))
        let own = KnownChunk(locator: chunk.locator, referencedSince: isOld ? row.chunk.since : nil)
        if isPresent(chunk, own, layout, retention, rules) { return true }
        guard let (found, known) = try known(chunk.hash, retention), found.locator == chunk.locator else {
            return false
        }
        return isPresent(chunk, known, layout, retention, rules)
    }

    /// What the snapshot before has.
    package var baseDomains: [CloudBackupDomain] { baseRoot?.domains ?? [] }

    /// What a tree knows of a chunk.
    func known(_ hash: ContentHash, _ retention: AccountRetention) throws -> (Chunk, KnownChunk)? {
        for tree in trees {
            let found = try tree.storage.readTree { transaction in
                try transaction.chunk(hash).map { ($0, try transaction.treeHead()) }
            }
            guard let (record, head) = found else { continue }
            // In a log that has gone on the chunk may have been let go; then it is kept for `graceSeconds`,
            // and a collector works for less than the half of that.
            let oldest = moment.date.seconds - retention.youthSeconds
            let isNewest = tree.end.map { head.sequence >= $0 } ?? false
            guard isNewest || head.time.seconds > oldest else { continue }
            let known = KnownChunk(record, retention, readAt: moment)
            return (Chunk(hash: hash, sizeBytes: record.sizeBytes, locator: record.locator), known)
        }
        return nil
    }

    /// Whether something current of a tree refers to each of these.
    func areDocuments(_ hashes: [ContentHash]) throws -> [Bool] {
        var found = [Bool](repeating: false, count: hashes.count)
        for tree in trees {
            try tree.storage.readTree { transaction in
                for (index, hash) in hashes.enumerated() where !found[index] {
                    found[index] = try transaction.chunk(hash).map { $0.liveCount > 0 } ?? false
                }
            }
        }
        return found
    }
}

extension TreeStorage {
    /// The current content of a file, with its chunks where the tree knows them to lie; nil for no file.
    package func fileContent(of node: Node) throws -> FileContent? {
        guard case .file(var content) = node.current?.content else { return nil }
        for index in content.chunks.indices {
            if let known = try chunk(content.chunks[index].hash) {
                content.chunks[index].locator = known.locator
            }
        }
        return content
    }
}
