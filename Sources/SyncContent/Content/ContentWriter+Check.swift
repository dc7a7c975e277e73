internal import CloudStore
package import SyncLog

extension ContentWriter {
    /// Looks at chunks where their locators say, each object once: before a commit at what is not sent, and
    /// after one whose checks do not hold any more at everything that it names.
    /// - Parameter leavingSparsePacks: a pack of which these chunks are less than half counts as stale.
    package func check(
        _ chunks: [Chunk], known: [ContentHash: KnownChunk], leavingSparsePacks: Bool = false
    ) async throws(ContentError) -> SentContent {
        var objects: [StoredName: [Chunk]] = [:]
        var order: [StoredName] = []
        for chunk in chunks {
            let name = account.layout.name(of: chunk.hash, at: chunk.locator)
            if objects[name, default: []].isEmpty { order.append(name) }
            objects[name, default: []].append(chunk)
        }
        let heads = try await parallelism.map(order) {
            name async throws(ContentError) in try await look(at: name)
        }
        var result = SentContent(checks: PresenceChecks(), stale: [])
        for (name, head) in zip(order, heads) {
            var moment: StoreMoment?
            let wanted = objects[name, default: []]
            if leavingSparsePacks, let info = head.info, wanted.needLessThanHalf(of: info.sizeBytes) {
                result.stale += wanted.map(\.hash)
                continue
            }
            for chunk in wanted {
                guard let counted = counts(chunk, head, known: known[chunk.hash]) else {
                    result.stale.append(chunk.hash)
                    continue
                }
                moment = moment?.earlier(counted) ?? counted
            }
            if let moment { result.checks.insert(name, at: moment) }
        }
        return result
    }

    /// The bytes of these chunks, to be sent under new locators: for what is not to be relied on any more,
    /// and for `cloud check --repair`. `relocations` of the plan are then committed.
    package func healing(_ stale: [ContentHash], of files: [CutContent]) -> ContentPlan {
        var layout = UploadLayout(packBytes: account.sizes.packBytes, parameters: account.format.chunking)
        let wanted = Set(stale)
        for (index, file) in files.enumerated() { layout.add(file, index: index, only: wanted) }
        return layout.plan(account.layout, randomness, checks: PresenceChecks())
    }

    struct Head {
        var info: ObjectInfo?
        /// The reply's date, and our clock before the question.
        var moment: StoreMoment
    }

    func look(at name: StoredName) async throws(ContentError) -> Head {
        let clock = clock.now()
        let found = try await ContentError.asking(await account.store.head(account.layout.object(name)))
        return Head(info: found.value, moment: StoreMoment(date: found.date, clock: clock))
    }

    /// - Returns: from when on the check counts; nil where it does not.
    private func counts(_ chunk: Chunk, _ head: Head, known: KnownChunk?) -> StoreMoment? {
        // What the tree knows at another place says nothing of this one.
        let known = known?.locator == chunk.locator ? known : nil
        guard isPresent(chunk, head, known) else { return nil }
        guard let readAt = known?.readAt, rules.hold(.referencesCountFromReading) else { return head.moment }
        return head.moment.earlier(readAt)
    }

    private func isPresent(_ chunk: Chunk, _ head: Head, _ known: KnownChunk?) -> Bool {
        guard let info = head.info else {
            return !rules.hold(.oldReferencesAreLookedAt)
                && retention.isLongReferenced(known, at: head.moment.date, of: account.store.traits)
        }
        guard chunk.fits(info.sizeBytes) else { return false }
        return retention.isPresent(
            info, at: head.moment.date, of: account.store.traits, known: known, rules)
    }
}

extension [Chunk] {
    /// Of an object of that size, which has these chunks, each once.
    fileprivate func needLessThanHalf(of objectBytes: UInt64) -> Bool {
        reduce(0) { $0 + UInt64($1.sizeBytes) } < objectBytes / 2
    }
}

extension Chunk {
    /// Whether an object of this size has the chunk's bytes.
    func fits(_ objectBytes: UInt64) -> Bool {
        switch locator {
        case .object: UInt64(sizeBytes) == objectBytes
        case .pack(_, let offset): UInt64(offset) + UInt64(sizeBytes) <= objectBytes
        }
    }
}
