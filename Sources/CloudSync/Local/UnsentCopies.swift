internal import CloudStore
internal import StoreBasics
package import SyncContent
internal import SyncLog

/// What was kept of documents that were on this device alone, when a restore put others in their places.
package struct UnsentCopies: Equatable, Sendable {
    /// Where those lie now that sync did not know: it makes documents of them.
    package internal(set) var beside: [LocalPath] = []
    /// Rows of edits that lie below what was restored, in the staging of the home that comes.
    var below: [String] = []
    /// Rows of what sync had displaced, which lies in the home that goes.
    var left: [String] = []

    package init() {}

    /// The home did not come.
    package func forget(_ storage: (any SyncStorage)?) throws { try Self.remove(below, storage) }

    /// The home came.
    package func finish(_ storage: (any SyncStorage)?) throws { try Self.remove(left, storage) }

    private static func remove(_ displaced: [String], _ storage: (any SyncStorage)?) throws {
        guard let storage, !displaced.isEmpty else { return }
        try storage.write { transaction in for name in displaced { try transaction.removeDisplaced(name) } }
    }
}

extension LocalDisk {
    /// Copies the documents of which the log does not have what lies here into a home that is to take this
    /// one's place and has others under their names (SPEC 8 "journaled as edits first, bytes kept"). To be
    /// called while nobody syncs the app.
    ///
    /// What it notes counts where the copies are: after a kill before `forget` or `finish` the rest goes with
    /// the next start.
    /// - Parameters:
    ///   - target: the home that comes, filled, and seen by nobody else.
    ///   - storage: what sync remembers; nil where it knows nothing of the app.
    /// - Throws: where one cannot be read now; then nothing was noted.
    package func copyUnsent(
        to target: any LocalDisk, _ storage: (any SyncStorage)?, _ randomness: any SyncRandomness
    ) throws -> UnsentCopies {
        var run = UnsentRun(source: self, target: target, storage: storage, randomness: randomness)
        do {
            try run.copyAll()
        } catch {
            try? run.copies.forget(storage)
            throw error
        }
        return run.copies
    }
}

private struct UnsentRun {
    let source: any LocalDisk
    let target: any LocalDisk
    let storage: (any SyncStorage)?
    let randomness: any SyncRandomness
    var copies = UnsentCopies()
    /// What an earlier restore was put over already, which nobody was told of either.
    var layers: [FileID: UInt64] = [:]

    mutating func copyAll() throws {
        for row in try storage?.read({ try $0.allDisplaced() }) ?? [] {
            layers[row.file] = max(row.layer, layers[row.file, default: 0])
        }
        try source.forEachUnsent(storage) { try copy($0) }
        guard let storage else { return }
        for displaced in try source.takeDisplaced() { try copy(displaced, storage) }
    }

    /// What the home that comes has in its place is an edit of it; of one that sync does not know nothing can
    /// be an edit.
    private mutating func copy(_ item: LocalItem) throws {
        guard let there = try look(item.path) else { return }
        if case .symlink(let text) = item.kind {
            guard item.kind != there.kind else { return }
            return try beside(item.path) { [target] (path) throws(LocalError) in
                _ = try target.make(.symlink(target: text), at: path, in: nil, attributes: item.attributes)
            }
        }
        let (staged, hash) = try stage(item)
        if try isSame(there, as: item, hash) { return }
        guard var below = try item.displaced(as: staged.name, storage) else {
            return try beside(item.path) { [target] (path) throws(LocalError) in
                _ = try target.place(
                    staged, at: path, in: nil, attributes: item.attributes, displacing: nil)
            }
        }
        // The bytes that the log has: what else differs is not worth a version.
        if hash == below.hash { return }
        below.layer = 1 + layers[below.file, default: 0]
        try note(below, staged, item.attributes)
    }

    /// What an app wrote to a document that sync had replaced meanwhile: still an edit of what it was then.
    private mutating func copy(_ displaced: Displaced, _ storage: any SyncStorage) throws {
        guard var row = try storage.read({ try $0.displaced(displaced.name) }),
            row.fingerprint.isSameInode(as: displaced.fingerprint)
        else { return }
        let staged = try target.stage(as: StagingName.new(randomness))
        try source.readDisplaced(displaced) { (bytes) throws(LocalError) in try staged.append(bytes) }
        copies.left.append(row.name)
        row.name = staged.name
        try note(row, staged, Attributes(mode: 0o600, modified: displaced.fingerprint.modified))
    }

    private mutating func note(
        _ row: DisplacedItem, _ staged: any StagedFile, _ attributes: Attributes
    ) throws {
        var row = row
        row.fingerprint = try target.keepDisplaced(staged, attributes)
        copies.below.append(row.name)
        try storage?.write { try $0.setDisplaced(row) }
    }

    private static let namesToTry = 1...1_000

    /// Puts a document under a free name.
    private mutating func beside(_ path: LocalPath, _ put: (LocalPath) throws(LocalError) -> Void) throws {
        for number in Self.namesToTry {
            let free = path.parent.appending((path.name ?? "").beside("before restore", number))
            guard try look(free) == nil else { continue }
            try put(free)
            return copies.beside.append(free)
        }
        throw LocalError.changed
    }

    private func stage(_ item: LocalItem) throws -> (any StagedFile, ContentHash) {
        let staged = try target.stage(as: StagingName.new(randomness))
        var hasher = SHA256Hasher()
        _ = try source.read(item.path, expecting: item.fingerprint) { (bytes) throws(LocalError) in
            try staged.append(bytes)
            hasher.update(bytes)
        }
        guard let hash = ContentHash(hasher.digest()) else { throw LocalError.changed }
        return (staged, hash)
    }

    private func look(_ path: LocalPath) throws -> LocalItem? {
        do { return try target.look(at: path) } catch LocalError.gone { return nil }
    }

    private func isSame(_ there: LocalItem, as item: LocalItem, _ hash: ContentHash) throws -> Bool {
        guard there.kind == .file else { return false }
        var hasher = SHA256Hasher()
        do {
            _ = try target.read(there.path, expecting: there.fingerprint) { (bytes) throws(LocalError) in
                hasher.update(bytes)
            }
        } catch LocalError.inUse {
            // A database with its log, which no backup has: it was taken over from here.
            return there.fingerprint.sizeBytes == item.fingerprint.sizeBytes
        }
        return ContentHash(hasher.digest()) == hash
    }
}

extension LocalItem {
    /// What is to be remembered of a document that is replaced; nil of one that sync does not know.
    fileprivate func displaced(as name: String, _ storage: (any SyncStorage)?) throws -> DisplacedItem? {
        guard let row = try storage?.read({ try $0.synced(at: path) }), row.kind == .file,
            let base = row.revision, let hash = row.hash
        else { return nil }
        var displaced = DisplacedItem(
            name: name, fingerprint: .none, file: row.file, base: base, hash: hash, parent: row.parent,
            itemName: row.name)
        displaced.rowFingerprint = row.fingerprint
        return displaced
    }
}
