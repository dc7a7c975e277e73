internal import CloudStore
package import SyncLog

/// Whether the store has all that the account's trees refer to (`cloud check`).
package struct AccountCheck: Sendable {
    let account: Account
    let roots: AccountRoots
    let writer: ContentWriter

    /// - Parameters: as of `Collector`.
    package init(_ account: Account, writer: ContentWriter, logs: any AccountLogs) {
        self.account = account
        self.writer = writer
        roots = AccountRoots(account: account, rules: .all, logs: logs)
    }

    package struct Report: Equatable, Sendable {
        package var checkedChunks = 0
        /// Of those, how many were read whole.
        package var readChunks = 0
        /// What the store does not have where the trees say, or has wrong bytes for.
        package var damaged: [DamagedChunk] = []
        /// Logs and snapshots that say of nothing what they need.
        package var unreadable: [CollectionError] = []
    }

    /// A chunk that is not where it should be.
    package struct DamagedChunk: Equatable, Sendable {
        package enum Damage: Equatable, Sendable {
            case missing
            case wrongBytes
        }

        /// With its fallbacks.
        package var chunk: LocatedChunk
        /// Whose tree refers to it; nil: a backup snapshot does, which the next one puts right.
        package var container: ContainerName?
        package var damage: Damage
    }

    /// Looks whether every chunk is there, and reads some.
    /// - Parameter sample: how many chunks to read and compare with their hash, chosen at random.
    package func run(sample: Int) async throws(CollectionError) -> Report {
        // First what is needed, then what lies there: so whatever is committed meanwhile is not missed.
        var wanted: [DamagedChunk] = []
        let now = try await CollectionError.asking(await account.store.head(StoreLayout.format).date)
        var ofBackups: Set<ContentHash> = []
        var unreadable: [CollectionError] = []
        _ = try await roots.read(
            now: now,
            tree: { container, tree in
                try tree.forEachRow(tree.chunks, after: \.hash) { record in
                    wanted.append(
                        DamagedChunk(chunk: LocatedChunk(record), container: container, damage: .missing))
                }
            },
            held: { held in
                guard ofBackups.insert(held.chunk.hash).inserted else { return }
                wanted.append(DamagedChunk(chunk: LocatedChunk(held.chunk), container: nil, damage: .missing))
            },
            unreadable: { unreadable.append($0) })
        let listing = try await CollectionError.asking(await account.storedObjects()).value
        let sizes = Dictionary(listing.map { ($0.name, $0.info.sizeBytes) }, uniquingKeysWith: { $1 })
        var report = Report(checkedChunks: wanted.count, unreadable: unreadable)
        var present: [DamagedChunk] = []
        for item in wanted {
            if try await isThere(item.chunk, sizes) {
                present.append(item)
            } else {
                report.damaged.append(item)
            }
        }
        for item in choose(sample, of: present) {
            report.readChunks += 1
            if try await !isSound(item.chunk) {
                report.damaged.append(
                    DamagedChunk(chunk: item.chunk, container: item.container, damage: .wrongBytes))
            }
        }
        return report
    }

    /// Sends damaged chunks again, under new locators.
    /// - Parameter bytes: of a chunk, from a device that has them; nil where this one has not. What comes is
    ///   compared with the hash.
    /// - Returns: what to commit, by container; chunks that nobody had are left out.
    package func repair(
        _ damaged: [DamagedChunk], bytes: @Sendable (ContentHash) async -> [UInt8]?
    ) async throws(CollectionError) -> Repacked {
        var repaired = Repacked()
        for item in damaged {
            guard let container = item.container, let found = await source(of: item, bytes) else { continue }
            let piece = CutContent.Piece(hash: item.chunk.hash, sizeBytes: item.chunk.sizeBytes)
            let plan = writer.healing([item.chunk.hash], of: [CutContent(piece)])
            let sent = try await CollectionError.content(
                await writer.send(plan, from: BytesInMemory([found])))
            repaired.checks.merge(sent.checks)
            repaired.relocations[container, default: []] += plan.relocations
        }
        return repaired
    }

    private func source(
        of item: DamagedChunk, _ bytes: @Sendable (ContentHash) async -> [UInt8]?
    ) async -> [UInt8]? {
        if let local = await bytes(item.chunk.hash), ContentHash(of: local) == item.chunk.hash {
            return local
        }
        // Where it lay before, it may still be.
        return try? await ContentReader(account).bytes(of: item.chunk)
    }

    /// What the LIST did not show is asked for once more by itself: it may have come since.
    private func isThere(
        _ chunk: LocatedChunk, _ sizes: [StoredName: UInt64]
    ) async throws(CollectionError) -> Bool {
        guard let locator = chunk.locators.first else { return false }
        let stored = Chunk(hash: chunk.hash, sizeBytes: chunk.sizeBytes, locator: locator)
        let name = account.layout.name(of: chunk.hash, at: locator)
        if let size = sizes[name] { return stored.fits(size) }
        let head = try await CollectionError.content(await writer.look(at: name))
        return head.info.map { stored.fits($0.sizeBytes) } ?? false
    }

    private func isSound(_ chunk: LocatedChunk) async throws(CollectionError) -> Bool {
        let only = LocatedChunk(
            hash: chunk.hash, sizeBytes: chunk.sizeBytes, locators: Array(chunk.locators.prefix(1)))
        do {
            _ = try await ContentReader(account, limit: writer.limit).bytes(of: only)
            return true
        } catch {
            if case .store(let failure) = error { throw .store(failure) }
            return false
        }
    }

    private func choose(_ count: Int, of items: [DamagedChunk]) -> [DamagedChunk] {
        guard items.count > count else { return items }
        var items = items
        for index in 0..<count {
            let other = index + Int(writer.randomness.below(UInt64(items.count - index)))
            items.swapAt(index, other)
        }
        return Array(items.prefix(count))
    }
}
