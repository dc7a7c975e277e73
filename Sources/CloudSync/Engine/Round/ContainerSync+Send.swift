internal import Posix
internal import SandboxRules
internal import SyncContent
internal import SyncLog

extension ContainerSync {
    /// Sends what changed on the disk: one batch. What cannot go now stays touched.
    func sendChanges(isUrgent: Bool) async throws(SyncFailure) {
        if try await sendWhatLiesBelow() { return }
        let namings = try storage.reading { try $0.namings() }
        let isWaiting = !hasNews && !isUrgent && (mustWaitToSend || pacedUntil != nil)
        if isWaiting, displacedDrafts.isEmpty, namings.isEmpty { return }
        (sendNotBefore, hasNews) = (nil, false)
        // What finds no room stays touched, so it is met again, or it is not there any more.
        (isQuotaInTheWay, storeFull, waitingItems) = (false, nil, WaitingItems())
        guard !touched.isEmpty || !displacedDrafts.isEmpty || !namings.isEmpty else { return }
        let began = surroundings.clock.now()
        var looked = takeTouched()
        showBusy(uploads: looked.paths.union(looked.unseen).count)
        do throws(SyncFailure) {
            let plan = try consistentPlan(&looked)
            let ended = surroundings.clock.now()
            let before = try storage.reading { try $0.treeHead() }
            let sent = try await sendBatch(plan, looked, namings, until: ended &+ (ended &- began))
            let after = try storage.reading { try $0.treeHead() }
            isPlanStuck = plan.isCutOff && after == before
            isPlanLeft = plan.isCutOff && !isPlanStuck
            if sent.isAll, pacedUntil == nil { pace.rest(after: began, until: ended) }
            var left = sent.left
            // Renames are kept in order.
            left.formUnion(touched)
            touched = left
        } catch {
            looked.formUnion(touched)
            touched = looked
            hasNews = true
            throw error
        }
    }

    /// What a restore put over documents of which nobody was told is an edit of them, so they are told in a
    /// batch before it. Planned together, both would be edits of what was before, and either may win.
    /// - Returns: whether something was told, and the rest is to be looked at in another round.
    private func sendWhatLiesBelow() async throws(SyncFailure) -> Bool {
        let below = displacedDrafts.filter { $0.layer > 0 }
        guard !below.isEmpty, surroundings.rules.hold(.whatLiesBelowIsToldFirst) else { return false }
        displacedDrafts.removeAll { $0.layer > 0 }
        let lowest = Dictionary(below.map { ($0.file, $0.layer) }, uniquingKeysWith: min)
        let drafts = below.filter { $0.layer == lowest[$0.file] }
        let before = try storage.reading { try $0.treeHead() }
        var left = Touched()
        defer { lookAgain(left) }
        planned = UploadProgress(of: drafts)
        showBusy(uploads: drafts.count)
        displacedDrafts += try await send(drafts, Touched(), &left).rest
        return try storage.reading { try $0.treeHead() } != before
    }

    /// What is to be planned now. What apps changed does not wait for a look through new directories that are
    /// very large: that is in each second plan, where there is anything else.
    private func takeTouched() -> Touched {
        var taken = touched
        touched = Touched()
        isUntoldLeft = !isUntoldLeft && !taken.untold.isEmpty && !taken.paths.isEmpty
        if isUntoldLeft {
            swap(&touched.untold, &taken.untold)
            // It waits for nothing, whatever the others wait for.
            hasNews = true
            workDone &+= 1
        }
        return taken
    }

    /// A file of the last plan changed less than a second ago.
    private var mustWaitToSend: Bool { sendNotBefore.map { $0 > surroundings.clock.now() } ?? false }

    private static let plansAtOnce = 3

    /// A plan is made anew after each turn, so it takes up no more than goes in one, a batch. Where nothing
    /// of that can go, the next one looks further.
    private var itemsAtOnce: Int {
        let most = surroundings.settings.itemsInPlan
        return isPlanStuck ? most : max(1, most / Self.plansInMost)
    }

    /// With 7 a plan and what came since are more than a batch holds: small files beside 300,000 waited
    /// twice as long.
    private static let plansInMost = 8

    /// Takes up what apps changed, as much as goes into one plan with what waits already: each plan looks at
    /// all of it, and the disk keeps the rest where it is small. A few always: what was written last comes
    /// first.
    /// - Parameter waiting: so many places are not in `touched` just now, but will be again.
    func takeChanges(beside waiting: Int = 0) {
        let isHeld = retryAt != nil || storage.isPaused
        guard !isHeld || touched.paths.count < 5 * UpPlanner.itemsInPlan else { return }
        let room = itemsAtOnce - touched.paths.count - waiting
        takeChanges(limit: max(1, itemsAtOnce / Self.fewInPlan, room))
    }

    private static let fewInPlan = 8

    func takeChanges(limit: Int) {
        let changes = disk.takeChanges(limit: limit)
        changesLeft = changes.left
        lookAgain(Touched(changes))
    }

    /// What moves while it is planned is seen to be gone from where it was, and not yet to be elsewhere: a
    /// plan with deletes counts only where nothing changed meanwhile, or is made again with what did. So is
    /// one that saw a directory twice: the second would be told as another one.
    private func consistentPlan(_ looked: inout Touched) throws(SyncFailure) -> UpPlan {
        var plan = try plan(looked)
        for _ in 1..<Self.plansAtOnce where plan.hasDeletes || plan.isTorn {
            takeChanges(beside: looked.paths.count)
            if touched.isEmpty { break }
            looked.formUnion(touched)
            touched = Touched()
            plan = try self.plan(looked)
        }
        return try isOvertaken(plan, looked) ? UpPlan(postponing: looked) : plan
    }

    /// Something moved during the last one too. Other changes do not count: an app that never rests would
    /// keep all deletes back.
    private func isOvertaken(_ plan: UpPlan, _ looked: Touched) throws(SyncFailure) -> Bool {
        guard plan.hasDeletes || plan.isTorn else { return false }
        takeChanges(beside: looked.paths.count)
        let paths = touched.paths
        guard !paths.isEmpty else { return false }
        if plan.isTorn { return true }
        return try planning { try $0.finds(plan.deleted, at: paths) }
    }

    /// Sends a plan, in as many batches as it takes as long as nothing else is to be done.
    /// - Parameter moment: before that nothing else is: what took long to plan is not planned anew for each
    ///   batch.
    /// - Returns: what is to be looked at again; whether all was looked at, and all that was found went or
    ///   could not go.
    private func sendBatch(
        _ plan: UpPlan, _ looked: Touched, _ namings: [Draft], until moment: UInt64
    ) async throws(SyncFailure) -> (left: Touched, isAll: Bool) {
        var left = plan.rest
        left.formUnion(looked.again(plan.retryLater))
        try note(plan, looked)
        for path in plan.retryLater { waitingItems.note(path, .inUse) }
        var rest = (plan.drafts + displacedDrafts + namings)[...]
        planned = UploadProgress(of: Array(rest))
        displacedDrafts = []
        showBusy(uploads: rest.count)
        do throws(SyncFailure) {
            while !rest.isEmpty {
                let sent = try await send(Array(rest), looked, &left)
                rest = sent.rest
                if rest.isEmpty || sent.lacksDirectory || isRemoved { break }
                if surroundings.clock.now() < moment { continue }
                // What came meanwhile goes with what is left, and not after it.
                takeChanges(beside: left.paths.count + rest.count)
                if !touched.isEmpty || mustEndSending { break }
            }
            try left.formUnion(places(of: rest, looked))
        } catch {
            // What was found in a new directory is found by no other look once that is journaled.
            touched.formUnion(left)
            try touched.formUnion(places(of: rest, looked))
            throw error
        }
        displacedDrafts += rest.filter(\.isDisplaced)
        // It waits for nothing.
        hasNews = hasNews || !rest.isEmpty
        let isAll = !plan.isCutOff && left.rescan == .none && rest.isEmpty
        if !plan.isCutOff { left.trail = looked.trail.leading(to: left.paths.union(left.unseen)) }
        if left.isEmpty { try await sweepUploads() }
        if looked.isRescan, isAll { try forgetConfirmation() }
        return (left, isAll)
    }

    /// What a batch had no room for, to be planned once its drafts are journaled. `namings` come by
    /// themselves.
    private func places(of drafts: ArraySlice<Draft>, _ looked: Touched) throws(SyncFailure) -> Touched {
        let waiting = drafts.filter { !$0.isDisplaced && !$0.path.names.isEmpty }
        guard !waiting.isEmpty else { return Touched() }
        // Where they lay as well: what has another name by now, and is deleted before that is told, is missed
        // only there. What leaves with a directory is found with it.
        let places = try storage.reading { transaction in
            try waiting.compactMap { draft -> LocalPath? in
                guard let place = try transaction.localPath(of: draft.file),
                    !place.directoriesAbove.contains(draft.path)
                else { return nil }
                return place
            }
        }
        var rest = looked.again(Set(waiting.map(\.path)).union(places))
        rest.rescan = min(looked.rescan, .telling)
        return rest
    }

    /// Reads the drafts, brings their bytes up and commits them.
    /// - Parameter left: gets what did not go, also where this throws.
    /// - Returns: the drafts that one batch had no room for; whether a new directory did not go, in which
    ///   some of them may lie.
    private func send(
        _ drafts: [Draft], _ looked: Touched, _ left: inout Touched
    ) async throws(SyncFailure) -> (rest: ArraySlice<Draft>, lacksDirectory: Bool) {
        let upload = try await upload(drafts)
        let clock = surroundings.clock
        sendNotBefore = upload.laterAt.map { moment in
            clock.now() &+ UInt64(clamping: min(moment &- clock.wallTime(), SkipBackup.graceNanoseconds))
        }
        // The slot is known before the batch is frozen, so that nothing lies between the last look at the
        // flags and the first PUT but one write of the journal.
        try await log.pull()
        let dropped = try freeze(upload.drafts)
        left.formUnion(looked.again(dropped))
        sending = UploadProgress()
        let stays = upload.drafts.map(\.cut.draft).filter { dropped.contains($0.path) }
        planned = UploadProgress(of: stays + upload.rest)
        if try storage.reading({ try $0.frozenBatch() }) != nil {
            try await log.push()
            try await prove(upload.checks)
        }
        return (upload.rest, stays.contains { $0.source == .directory })
    }

    /// A person's word is about the deletes that were found then, and not about later ones.
    private func forgetConfirmation() throws(SyncFailure) {
        try storage.writing { transaction in
            if try !transaction.knownRemovals().isEmpty { try transaction.clearKnownRemovals() }
            guard var journal = try transaction.journal(), journal.areDeletesConfirmed else { return }
            journal.areDeletesConfirmed = false
            try transaction.setJournal(journal)
        }
    }

    private func plan(_ looked: Touched) throws(SyncFailure) -> UpPlan {
        try planning { planner in
            let isConfirmed = try planner.storage.journal()?.areDeletesConfirmed ?? false
            return try planner.plan(looked, isConfirmed: isConfirmed)
        }
    }

    private func planning<Answer>(_ body: (UpPlanner) throws -> Answer) throws(SyncFailure) -> Answer {
        let (randomness, limit) = (surroundings.randomness, itemsAtOnce)
        // What is found together gets ids next to each other, so that it lies together in the databases of
        // all devices: with each at random, a batch writes as many pages as it has items, in each table.
        var last: FileID?
        return try storage.reading { transaction in
            let planner = UpPlanner(transaction, disk: disk, rules: surroundings.rules, limit: limit) {
                let file = last.map(\.next) ?? FileID(bits: randomness.identifier())
                last = file
                return file
            }
            return try body(planner)
        }
    }

    private func note(_ plan: UpPlan, _ looked: Touched) throws(SyncFailure) {
        if !plan.stirred.isEmpty { try storage.writing { try $0.addPending(plan.stirred) } }
        // Only a rescan finds again what is held: a look at some places does not say that it came back.
        let isWhole = looked.rescan == .looking && !plan.isCutOff
        let held = isWhole ? plan.heldDeletes : max(plan.heldDeletes, heldDeletes)
        if isWhole || held != heldDeletes { heldPaths = plan.heldPaths }
        if held != heldDeletes {
            heldDeletes = held
            if heldDeletes > 0 { report(.deletesHeld(heldDeletes)) }
        }
    }

    /// Looks at every item's flags for the last time, and journals the batch with what it means for the
    /// synced tree.
    /// - Returns: where the drafts lie, and lay, that were dropped.
    private func freeze(_ drafts: [ReadDraft]) throws(SyncFailure) -> Set<LocalPath> {
        let selection = try DraftSelection(drafts) { draft throws(SyncFailure) in
            if try mayLeave(draft.cut) { return true }
            try noteExcluded(draft.cut)
            return false
        }
        // Where it lay as well: what was renamed, did not go and is deleted then is missed only there.
        let dropped = try storage.reading { transaction in
            selection.dropped.union(try selection.droppedFiles.compactMap(transaction.localPath))
        }
        let told = selection.chosen.map { ($0, $0.operation) }
        let operations = told.compactMap(\.1)
        guard !operations.isEmpty else {
            // Nothing to tell: only the synced tree learns how the disk looks now.
            try storage.writing { transaction in
                try transaction.freeze(told.map { $0.0.frozen(nil, nil) })
                try transaction.finishBatch()
            }
            return dropped
        }
        try log.freeze(operations) { batch, transaction in
            var index = 0
            let frozen = told.map { draft, operation in
                guard let operation else { return draft.frozen(nil, nil) }
                defer { index += 1 }
                return draft.frozen(operation, batch.revision(of: index))
            }
            try transaction.freeze(frozen)
            for draft in frozen where draft.draft.needsBytes {
                try transaction.addUnprovenFile(draft.draft.file)
            }
        }
        return dropped
    }
}

extension Draft {
    fileprivate var isDisplaced: Bool {
        if case .displaced = source { true } else { false }
    }
}

extension UploadProgress {
    init(of drafts: [Draft]) {
        self.init()
        items = drafts.count
        // Sizes of files: a sum that is too large is shown as that.
        bytes = drafts.lazy.filter(\.needsBytes).map(\.sizeBytes).reduce(0) { $0.addingSaturated($1) }
    }
}

extension Touched {
    /// These places once more, seen or unseen as they were.
    fileprivate func again(_ again: Set<LocalPath>) -> Touched {
        let seen = again.filter { paths.contains($0) || whole.isEmpty }
        var touched = Touched(paths: seen, unseen: again.subtracting(seen))
        touched.hasDepartures = hasDepartures && !seen.isEmpty
        touched.arrivals = arrivals.intersection(seen)
        if !seen.isEmpty { touched.removed = removed }
        return touched
    }
}

extension ContainerSync.ReadDraft {
    /// Nil where there is nothing to tell.
    fileprivate var operation: Operation? { cut.draft.operation(content) }

    fileprivate func frozen(_ operation: Operation?, _ revision: Revision?) -> FrozenDraft {
        FrozenDraft(
            draft: cut.draft, operation: operation, revision: revision, fingerprint: cut.fingerprint,
            hash: cut.cut?.hash)
    }
}

/// Which of a plan's drafts go into a batch: those that are joined go together or not at all, and nothing
/// goes below a directory that does not.
struct DraftSelection {
    private(set) var chosen: [ContainerSync.ReadDraft] = []
    private(set) var dropped: Set<LocalPath> = []
    private(set) var droppedFiles: Set<FileID> = []
    private var missing: Set<FileID> = []

    init(
        _ drafts: [ContainerSync.ReadDraft],
        mayLeave: (ContainerSync.ReadDraft) throws(SyncFailure) -> Bool
    ) throws(SyncFailure) {
        var group: [ContainerSync.ReadDraft] = []
        for draft in drafts {
            if !draft.cut.draft.isJoined {
                try take(group, mayLeave)
                group = []
            }
            group.append(draft)
        }
        try take(group, mayLeave)
    }

    private mutating func take(
        _ group: [ContainerSync.ReadDraft],
        _ mayLeave: (ContainerSync.ReadDraft) throws(SyncFailure) -> Bool
    ) throws(SyncFailure) {
        var isWhole = true
        for draft in group {
            let plain = draft.cut.draft
            guard isWhole, draft.isReady, !missing.contains(plain.parent), !missing.contains(plain.file),
                try mayLeave(draft)
            else {
                isWhole = false
                break
            }
        }
        if isWhole {
            chosen += group
            return
        }
        for draft in group {
            dropped.insert(draft.cut.draft.path)
            droppedFiles.insert(draft.cut.draft.file)
            if case .create = draft.cut.draft.kind { missing.insert(draft.cut.draft.file) }
        }
    }
}
