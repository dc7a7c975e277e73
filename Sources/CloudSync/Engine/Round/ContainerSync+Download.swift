internal import SyncContent
internal import SyncLog

extension ContainerSync {
    private var pendingInPlan: Int { surroundings.settings.pendingInPlan }

    var applier: Applier {
        Applier(
            disk: disk, storage: storage, source: TreeSource(reader: reader, storage: storage),
            randomness: surroundings.randomness, rules: surroundings.rules, limit: pendingInPlan)
    }

    /// Looks at what an earlier run left on the disk, and at what was displaced since. Before the store is
    /// asked, which may be away for long: what was displaced and nobody wrote to goes before somebody does,
    /// by a name that is flagged.
    func prepareDisk() throws(SyncFailure) {
        if !hasRecovered {
            lookAgain(try onDisk { try applier.recover() })
            hasRecovered = true
            try onDisk { try applier.forgetLostCopies() }
        }
        keptDisplaced = try onDisk { try applier.dropUnwrittenDisplaced(knowing: keptDisplaced) }
    }

    /// Looks for what an app wrote to what sync has displaced.
    func beginDownload() throws(SyncFailure) {
        missing = nil
        if let moment = parksAgainAt, surroundings.clock.now() >= moment { parksAgainAt = nil }
        displacedDrafts = try onDisk { try applier.compareDisplaced() }
    }

    /// Brings to the disk what the log changed, as far as no local change stands in the way: a part of it,
    /// where that is much, so that local changes go up in between.
    func download(_ pass: inout DownloadPass) async throws(SyncFailure) {
        if pass.after == nil { pass.left = try storage.reading { try $0.pendingCount() } }
        while !isRemoved {
            let after = pass.after
            let limit = partSize.count
            let files = try storage.reading { try $0.pending(after: after, limit: limit) }
            guard !files.isEmpty else { break }
            showBusy(downloads: pass.left)
            try await download(files, &pass)
            pass.left -= min(pass.left, files.count)
            pass.after = files.last
            // Of very much that is only looked at nothing waits, and who stops sync has to get in between.
            await Task.yield()
            if files.count == limit { return }
        }
        pass.isComplete = true
    }

    /// Of very much that is pending, what came last is not to wait for all that came before it: some of it.
    /// - Returns: false where there is none.
    func downloadNews() async throws(SyncFailure) -> Bool {
        let limit = partSize.count
        let files = log.ahead.takeNews(limit: limit)
        guard !files.isEmpty, try storage.reading({ try $0.pendingCount() }) > limit else {
            return false
        }
        var pass = DownloadPass()
        try await download(Set(files).sorted(), &pass)
        return true
    }

    /// The same again did not bring it nearer: something stands in the way, and tells when it goes.
    func end(_ pass: DownloadPass) {
        if pass.outcome != lastOutcome { workDone &+= 1 }
        lastOutcome = pass.outcome
    }

    private func download(_ files: [FileID], _ pass: inout DownloadPass) async throws(SyncFailure) {
        let rules = surroundings.rules
        var plan = try storage.reading {
            try DownPlanner($0, disk: disk, rules: rules, limit: pendingInPlan).plan(files)
        }
        // Without its first step the others of a circle find their names taken.
        if parksAgainAt != nil { plan.actions.removeAll { $0.kind == .park } }
        lookAgain(Touched(unseen: plan.unseen))
        if plan.changesPending(files) {
            try storage.writing { try $0.note(plan, pending: files) }
            if !plan.unknown.isEmpty { workDone &+= 1 }
        }
        guard !plan.actions.isEmpty else { return }
        let began = surroundings.clock.now()
        var applied = Applied()
        var failure: SyncFailure?
        do { try await applier.apply(plan.actions, &applied) } catch {
            // What was begun is finished before anything is planned.
            hasRecovered = false
            failure = SyncFailure(storage: error)
        }
        note(applied)
        if let failure { throw failure }
        partSize.note(applied.changed.count, took: surroundings.clock.now() &- began)
        pass.outcome.note(plan.actions, applied)
        noteParking(plan.actions, applied)
        try note(applied.failures)
    }

    /// Also of what failed in its middle: a change that was noted in a directory, which was moved since,
    /// would be looked for where that is no more.
    private func note(_ applied: Applied) {
        lookAgain(Touched(unseen: applied.unseen, whole: applied.whole))
        if applied.moved.isEmpty {
            takeChanges()
        } else {
            takeChanges(limit: .max)
            touched.follow(applied.moved)
        }
        for path in applied.changed { report(.applied(path)) }
        for path in applied.besideExcluded { report(.renamedBesideExcluded(path)) }
    }

    private func noteParking(_ actions: [DownAction], _ applied: Applied) {
        if applied.parksInVain {
            parksAgainAt = surroundings.clock.now() &+ parking.next(surroundings.randomness)
        } else if actions.contains(where: { $0.kind == .park }) {
            parking.reset()
        }
    }

    /// What did not come waits, and is asked for again; where the store itself failed nothing else is tried
    /// now.
    private func note(_ failures: [DownloadFailure]) throws(SyncFailure) {
        for failure in failures {
            switch failure.error {
            case .store(let error): throw SyncFailure(error)
            case .local(.ended): throw .ended
            case .local(.full): throw SyncFailure(LocalError.full)
            case .local: break
            case .unavailable: missing = .storeLies("a document's bytes are missing or wrong")
            }
        }
    }

    private func onDisk<Result>(_ body: () throws -> Result) throws(SyncFailure) -> Result {
        do { return try body() } catch { throw SyncFailure(storage: error) }
    }
}

/// A look at all that is pending, in parts.
struct DownloadPass {
    /// What its plans wanted done to the disk, and what came of it.
    struct Outcome: Equatable {
        private static let comparedActions = 512

        private var count = 0
        private var done = 0
        /// The first of them: enough to see that nothing else is wanted than the last time.
        private var actions: [DownAction] = []

        mutating func note(_ more: [DownAction], _ applied: Applied) {
            count += more.count
            done += applied.changed.count
            actions += more.prefix(Self.comparedActions - min(actions.count, Self.comparedActions))
        }
    }

    /// The last that was planned.
    var after: FileID?
    /// Of what was pending as it began, how many were not planned yet.
    var left = 0
    var isComplete = false
    var outcome = Outcome()
}

/// Downloads from where the tree says that chunks lie now.
struct TreeSource: DownloadSource {
    let reader: ContentReader
    let storage: any SyncStorage

    func download(
        _ content: FileContent, _ body: ([UInt8]) throws(LocalError) -> Void
    ) async throws(DownloadError) {
        do throws(ContentError) {
            try await reader.download(try located(content)) { run throws(ContentError) in
                do throws(LocalError) { try body(run) } catch { throw .local(error) }
            }
        } catch {
            throw DownloadError(error)
        }
    }

    func fetch(_ contents: [FileContent]) async -> [[UInt8]?] {
        do throws(ContentError) {
            let files = try contents.map { content throws(ContentError) in try located(content) }
            var parts = try await reader.bytes(of: files.flatMap(\.chunks))[...]
            return files.map { content in
                let bytes = Array(parts.prefix(content.chunks.count).joined())
                parts = parts.dropFirst(content.chunks.count)
                return ContentHash(of: bytes) == content.hash ? bytes : nil
            }
        } catch {
            return contents.map { _ in nil }
        }
    }

    private func located(_ content: FileContent) throws(ContentError) -> LocatedContent {
        try LocatedContent(content) { hash in (try? storage.read { try $0.locators(of: hash) }) ?? [] }
    }
}

extension DownloadError {
    fileprivate init(_ error: ContentError) {
        switch error {
        case .store(let error): self = .store(error)
        case .local(let error): self = .local(error)
        case .unavailable, .wrongBytes, .wrongFile, .malformed, .changed, .occupied: self = .unavailable
        }
    }
}
