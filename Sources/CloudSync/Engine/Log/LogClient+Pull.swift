internal import CloudStore
internal import StoreBasics
internal import SyncContent
internal import SyncLog

extension LogClient {
    /// Entries that are asked for one by one before the log is listed, and bytes of them: so much is in
    /// memory at once.
    static let runLength = 64
    private static let runBytes = 1 << 20
    /// No writer makes an entry longer than 256 KiB.
    static let entryLimitBytes = 1 << 20

    /// Reads the log to its end and applies it. When it returns true, the slot after the tree's head was
    /// found empty, and that is to be believed.
    /// - Parameter isOneTurn: where much is to be applied, it returns after some of it, so that other apps
    ///   get their turn.
    @discardableResult
    nonisolated(nonsending) func pull(isOneTurn: Bool = false) async throws(SyncFailure) -> Bool {
        while true {
            let clock = surroundings.clock.now()
            let place = try place()
            if place.head.sequence == 0, try await loadNewestSnapshot() { continue }
            var doubt = doubt(at: place)
            let run =
                try await ahead.isFar
                ? listedRun(after: place.head.sequence, &doubt)
                : run(after: place.head.sequence, &doubt)
            let date = lastDate.value ?? place.head.time
            if doubt.isRaised, try await reloadBelowFloor(place.head.sequence) { continue }
            ahead.isFar = !run.hasRoom
            let isApplied = try await apply(run.entries, isOneTurn: isOneTurn)
            if isApplied, run.isEnd {
                try await refuseHole(after: try self.place().head.sequence)
                try await hearTime()
                lastReading.note(StoreMoment(date: date, clock: clock))
                return true
            }
            if isOneTurn { return false }
        }
    }

    /// Where the tree is in the log, and when the store got that entry.
    struct Place {
        var head: TreeHead
        var journal: Journal
    }

    func place() throws(SyncFailure) -> Place {
        try storage.reading { transaction in
            guard let journal = try transaction.journal() else {
                throw SyncFailure.trouble(.disk("the journal is not there"))
            }
            return Place(head: try transaction.treeHead(), journal: journal)
        }
    }

    func doubt(at place: Place) -> SlotDoubt {
        SlotDoubt(
            headModified: place.journal.headModified, traits: account.store.traits,
            retention: account.format.retention, rules: rules)
    }

    private struct Run {
        var entries: [SlotEntry] = []
        /// The slot after them was empty.
        var isEnd = false

        var hasRoom: Bool {
            entries.count < runLength && entries.reduce(0) { $0 + $1.bytes.count } < runBytes
        }
    }

    /// The entries that follow, one after the other, up to the first empty slot.
    private nonisolated(nonsending) func run(
        after head: UInt64, _ doubt: inout SlotDoubt
    ) async throws(SyncFailure) -> Run {
        var run = Run()
        while run.hasRoom {
            let sequence = head &+ UInt64(run.entries.count) &+ 1
            guard let entry = try await entry(at: sequence, &doubt) else {
                run.isEnd = true
                break
            }
            run.entries.append(entry)
        }
        return run
    }

    /// The entries that follow, found by a listing: some at once. A hole in it ends the run, and the plain
    /// way finds out what it means.
    private nonisolated(nonsending) func listedRun(
        after head: UInt64, _ doubt: inout SlotDoubt
    ) async throws(SyncFailure) -> Run {
        let prefix = account.layout.logPrefix(name)
        let listing = try await ask { () async throws(StoreError) in
            try await account.store.list(prefix, after: slot(head), limit: Self.runLength)
        }
        let slots = listing.value.objects.compactMap { StoreLayout.sequence(of: $0.key, in: prefix) }
        let next = zip(slots, 1...).prefix { $0.0 == head &+ $0.1 }.map(\.0)
        guard !next.isEmpty else { return try await run(after: head, &doubt) }
        var run = Run()
        let width = max(1, account.store.traits.parallelRequests)
        for start in stride(from: 0, to: next.count, by: width) where run.hasRoom {
            for answer in try await answers(Array(next[start..<min(start + width, next.count)])) {
                // An answer that is not the next one's ends the run as an empty slot does: a log is applied
                // without holes.
                guard answer.sequence == head &+ UInt64(run.entries.count) &+ 1,
                    let entry = entry(answer.dated, at: answer.sequence, &doubt)
                else { return run }
                run.entries.append(entry)
            }
        }
        return run
    }

    private struct SlotAnswer: Sendable {
        var sequence: UInt64
        var dated: Dated<StoredObject?>
    }

    /// Some slots, asked at once. By the common way: a `do throws` in a task of a group lost answers in
    /// optimised code, so that a device which joined took the log for damaged.
    private nonisolated(nonsending) func answers(
        _ sequences: [UInt64]
    ) async throws(SyncFailure) -> [SlotAnswer] {
        try await Parallelism(requests: sequences.count).map(sequences) {
            sequence async throws(SyncFailure) in
            SlotAnswer(sequence: sequence, dated: try await object(at: sequence))
        }
    }

    private nonisolated(nonsending) func entry(
        at sequence: UInt64, _ doubt: inout SlotDoubt
    ) async throws(SyncFailure) -> SlotEntry? {
        entry(try await object(at: sequence), at: sequence, &doubt)
    }

    private nonisolated(nonsending) func object(
        at sequence: UInt64
    ) async throws(SyncFailure) -> Dated<StoredObject?> {
        let answer = try await ask { () async throws(StoreError) in
            try await account.store.get(slot(sequence))
        }
        if let object = answer.value, object.bytes.count > Self.entryLimitBytes {
            throw .trouble(.storeLies("entry \(sequence) of the log has \(object.bytes.count) bytes"))
        }
        return answer
    }

    private func entry(
        _ answer: Dated<StoredObject?>, at sequence: UInt64, _ doubt: inout SlotDoubt
    ) -> SlotEntry? {
        doubt.hear(at: answer.date)
        guard let object = answer.value else { return nil }
        return SlotEntry(
            sequence: sequence, bytes: object.bytes, lastModified: object.lastModified, seenAt: answer.date)
    }
}

/// An entry of the log as the store has it.
struct SlotEntry: Sendable {
    var sequence: UInt64
    var bytes: [UInt8]
    var lastModified: StoreTime
    /// The store's date when it was got.
    var seenAt: StoreTime
}
