internal import SyncContent
internal import SyncLog

/// Whose an entry of the log is, for the device that reads it.
enum Identity: Equatable {
    case foreign
    /// The batch in flight: equal device, number and hash.
    case own
    /// This device's name on something that it never said: its folder was copied, or put back from a backup.
    case clone

    init(
        _ device: DeviceID, _ n: UInt64, _ hash: ContentHash, _ journal: Journal, _ frozen: EncodedBatch?,
        _ rules: SafetyRules
    ) {
        guard device == journal.device else {
            self = .foreign
            return
        }
        if let frozen, frozen.batch.n == n {
            let isOwn = frozen.hash == hash || !rules.hold(.batchHashTellsOwn)
            self = isOwn ? .own : .clone
        } else if n >= frozen?.batch.n ?? journal.nextBatch {
            // Nothing after the batch in flight was sent.
            self = .clone
        } else {
            // An earlier batch of ours: a late twin, which replay drops.
            self = .foreign
        }
    }

    init(of commit: Commit, _ journal: Journal, _ frozen: EncodedBatch?, _ rules: SafetyRules) {
        self.init(commit.batch.device, commit.batch.n, commit.batchHash, journal, frozen, rules)
    }
}

extension LogClient {
    /// Takes a new device id and journals the batch in flight again under it. Every place that names one of
    /// its revisions names the new one from now on: else the next edit would replace the clone's content
    /// instead of ours.
    func becomeAnother(_ journal: inout Journal, _ transaction: any SyncTransaction) throws {
        journal.device = DeviceID(bits: surroundings.randomness.identifier())
        journal.nextBatch = 1
        if rules.hold(.copiesShareNoUploads) { try transaction.disownUploads() }
        var batches = try transaction.batchesInFlight()
        guard !batches.isEmpty else { return try transaction.setJournal(journal) }
        var replacements: [Revision: Revision] = [:]
        for place in batches.indices {
            let old = batches[place]
            batches[place].device = journal.device
            batches[place].n = journal.nextBatch
            journal.nextBatch += 1
            for index in old.operations.indices {
                replacements[old.revision(of: index)] = batches[place].revision(of: index)
            }
        }
        for place in batches.indices {
            batches[place].operations = batches[place].operations.map { $0.replacing(replacements) }
        }
        if rules.hold(.clonesReplaceRevisions) { try transaction.replaceRevisions(replacements) }
        try transaction.setInFlight(batches)
        try transaction.setJournal(journal)
    }
}

extension JournalStorage {
    /// What was sent under the name that a copy of this device has as well may be taken back by that one, and
    /// be referred to by it: it counts no more, and is not taken back here.
    fileprivate func disownUploads() throws {
        try abandonPendingUploads(isOwn: false)
        for var abandoned in try abandonedUploads() where abandoned.isOwn {
            abandoned.isOwn = false
            try setAbandonedUpload(abandoned)
        }
    }
}

extension Operation {
    /// The operation with other revisions wherever it names one.
    func replacing(_ replacements: [Revision: Revision]) -> Operation {
        func new(_ revision: Revision) -> Revision { replacements[revision] ?? revision }
        switch self {
        case .edit(var edit):
            edit.base = new(edit.base)
            return .edit(edit)
        case .delete(var deletion):
            deletion.place = new(deletion.place)
            deletion.contents = deletion.contents.map(new)
            return .delete(deletion)
        case .withdraw(let file, let contents):
            return .withdraw(file: file, contents: contents.map(new))
        case .resolve(var resolution):
            resolution.keep = new(resolution.keep)
            resolution.contents = resolution.contents.map(new)
            return .resolve(resolution)
        case .endHistory(let ended):
            return .endHistory(
                ended.map { EndedHistory(file: $0.file, contents: $0.contents.map(new)) })
        case .create, .move, .setAttributes, .relocate, .require, .account, .keyValue, .unknown:
            return self
        }
    }
}
