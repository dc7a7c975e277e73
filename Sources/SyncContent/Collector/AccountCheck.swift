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

        init(_ chunk: LocatedChunk, of container: ContainerName?, _ damage: Damage = .missing) {
            (self.chunk, self.container, self.damage) = (chunk, container, damage)
        }
    }

    /// Looks whether every chunk is there, and reads some.
    /// - Parameter sample: how many chunks to read and compare with their hash, chosen at random.
    package func run(sample: Int) async throws(CollectionError) -> Report {
        // First what is needed, then what lies there: so whatever is committed meanwhile is not missed.
        let now = try await CollectionError.asking(await account.store.head(StoreLayout.format).date)
        var report = Report()
        var ofBackups: [ContentHash: DamagedChunk] = [:]
        let live = try await roots.read(
            now: now,
            held: { ofBackups[$0.chunk.hash] = DamagedChunk(LocatedChunk($0.chunk), of: nil) },
            unreadable: { report.unreadable.append($0) })
        var chosen = Sample<DamagedChunk>(sample, writer.randomness)
        var first: UInt8? = 0
        while let from = first {
            let part = try await CollectionError.asking(
                await account.storedPart(from: from, limit: Collector.objectsInPart))
            var look = Look(part, account.layout)
            for tree in live.trees {
                try tree.forEachChunk { record in
                    look.note(DamagedChunk(LocatedChunk(record), of: tree.container), &chosen)
                }
            }
            for chunk in ofBackups.values { look.note(chunk, &chosen) }
            report.checkedChunks += look.count
            report.damaged += look.wrong
            for item in look.unseen {
                if try await isThere(item.chunk) {
                    chosen.offer(item)
                } else {
                    report.damaged.append(item)
                }
            }
            first = part.next
        }
        for item in chosen.items {
            report.readChunks += 1
            if try await !isSound(item.chunk) {
                report.damaged.append(DamagedChunk(item.chunk, of: item.container, .wrongBytes))
            }
        }
        return report
    }

    /// Chunks whose names lie in a part of the store.
    private struct Look {
        private let part: StoredPart
        private let layout: StoreLayout
        private let sizes: [StoredName: UInt64]
        private(set) var count = 0
        private(set) var wrong: [DamagedChunk] = []
        private(set) var unseen: [DamagedChunk] = []

        init(_ part: StoredPart, _ layout: StoreLayout) {
            (self.part, self.layout) = (part, layout)
            sizes = Dictionary(part.objects.map { ($0.name, $0.info.sizeBytes) }, uniquingKeysWith: { $1 })
        }

        mutating func note(_ item: DamagedChunk, _ chosen: inout Sample<DamagedChunk>) {
            guard let locator = item.chunk.locators.first else { return }
            let name = layout.name(of: item.chunk.hash, at: locator)
            guard part.contains(name) else { return }
            count += 1
            guard let size = sizes[name] else { return unseen.append(item) }
            if item.chunk.fits(size, at: locator) { chosen.offer(item) } else { wrong.append(item) }
        }
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
    private func isThere(_ chunk: LocatedChunk) async throws(CollectionError) -> Bool {
        guard let locator = chunk.locators.first else { return false }
        let name = account.layout.name(of: chunk.hash, at: locator)
        let head = try await CollectionError.content(await writer.look(at: name))
        return head.info.map { chunk.fits($0.sizeBytes, at: locator) } ?? false
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
}

extension LocatedChunk {
    /// Whether an object of this size may have its bytes there.
    fileprivate func fits(_ sizeBytes: UInt64, at locator: Locator) -> Bool {
        Chunk(hash: hash, sizeBytes: self.sizeBytes, locator: locator).fits(sizeBytes)
    }
}

/// Some of very many, each as likely as any other.
private struct Sample<Element> {
    private(set) var items: [Element] = []
    private let count: Int
    private let randomness: any SyncRandomness
    private var offered = 0

    init(_ count: Int, _ randomness: any SyncRandomness) {
        (self.count, self.randomness) = (count, randomness)
    }

    mutating func offer(_ item: Element) {
        offered += 1
        if items.count < count { return items.append(item) }
        guard count > 0 else { return }
        let place = Int(randomness.below(UInt64(offered)))
        if place < count { items[place] = item }
    }
}
