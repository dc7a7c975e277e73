internal import CloudStore
package import SyncLog

/// Brings files' bytes into the store, each chunk once. In this order: `plan` says where they will lie,
/// `send` sends, the batch with these locators is journaled and committed, and `PresenceChecks.hold` says
/// whether all is to be looked at again.
///
/// A key is written once, ever: bytes that go up again get a new locator.
package struct ContentWriter: Sendable {
    let account: Account
    let clock: any SyncClock
    let randomness: any SyncRandomness
    let rules: SafetyRules
    let limit: RateLimit?
    let meter: TransferMeter?

    /// - Parameters:
    ///   - limit: of what is sent, in common for all writers of the device.
    ///   - meter: told what was sent.
    package init(
        _ account: Account, clock: any SyncClock, randomness: any SyncRandomness,
        rules: SafetyRules = .all, limit: RateLimit? = nil, meter: TransferMeter? = nil
    ) {
        self.meter = meter
        self.account = account
        self.clock = clock
        self.randomness = randomness
        self.rules = rules
        self.limit = limit
    }

    var retention: AccountRetention { account.format.retention }
    var parallelism: Parallelism { Parallelism(requests: account.store.traits.parallelRequests) }

    /// Decides which chunks are sent and where they will lie.
    /// - Parameters:
    ///   - known: what the tree knows of each chunk, by its hash; also what this device sent for a batch that
    ///     was frozen anew.
    ///   - leavingSparsePacks: sends again what lies in a pack of which these files need less than half.
    package func plan(
        _ files: [CutContent], known: [ContentHash: KnownChunk], leavingSparsePacks: Bool = false
    ) async throws(ContentError) -> ContentPlan {
        var candidates: [Chunk] = []
        var seen: Set<ContentHash> = []
        for piece in files.lazy.flatMap(\.pieces) {
            guard seen.insert(piece.hash).inserted, let chunk = known[piece.hash] else { continue }
            candidates.append(
                Chunk(hash: piece.hash, sizeBytes: piece.sizeBytes, locator: chunk.locator))
        }
        let found = try await check(candidates, known: known, leavingSparsePacks: leavingSparsePacks)
        let stale = Set(found.stale)
        let present = candidates.filter { !stale.contains($0.hash) }
        var layout = UploadLayout(packBytes: account.sizes.packBytes, parameters: account.format.chunking)
        for chunk in present { layout.use(chunk) }
        for (index, file) in files.enumerated() { layout.add(file, index: index) }
        return layout.plan(account.layout, randomness, checks: found.checks)
    }

    /// Sends what a plan has. May be called again after any error.
    /// - Throws: `.changed` where a file is no longer what was planned or may not go: plan anew.
    package func send(
        _ plan: ContentPlan, from source: any UploadSource
    ) async throws(ContentError) -> SentContent {
        let outcomes = try await parallelism.map(plan.uploads, bytes: \.sizeBytes) {
            upload async throws(ContentError) in try await send(upload, from: source)
        }
        var sent = SentContent(checks: plan.checks, stale: [])
        for (upload, check) in zip(plan.uploads, outcomes) {
            if let check {
                sent.checks.insert(upload.name, at: check)
            } else {
                sent.stale += upload.parts.map(\.hash)
            }
        }
        return sent
    }
}

/// What came of sending.
package struct SentContent: Equatable, Sendable {
    /// Those that count, until `hold` says otherwise.
    package var checks: PresenceChecks
    /// What may not be relied on where its locator says: gone, or so old that a collector may be about to
    /// delete it. Before the commit was tried the batch is frozen anew; after, `healing` puts it right.
    package var stale: [ContentHash]
}
