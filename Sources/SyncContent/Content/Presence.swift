internal import CloudStore
package import StoreBasics
package import SyncLog

/// What the tree knows of a chunk's bytes: where they lie, and whether that is to be relied on.
package struct KnownChunk: Equatable, Sendable {
    package var locator: Locator
    /// Since when, by the log's time, the tree has referenced the chunk at this locator without a break; nil
    /// where it does not, as for what this device itself sent and has not committed.
    package var referencedSince: StoreTime?
    /// When the last reference ends, where only history is left of them; nil while something current has it.
    package var referencedUntil: StoreTime?
    /// When the log that says so was read to its end. A batch after that may let go of the chunk, though it
    /// is kept for `graceSeconds` from then on: what counts by the tree counts from its reading.
    package var readAt: StoreMoment?

    package init(
        locator: Locator, referencedSince: StoreTime? = nil, referencedUntil: StoreTime? = nil,
        readAt: StoreMoment? = nil
    ) {
        self.locator = locator
        self.referencedSince = referencedSince
        self.referencedUntil = referencedUntil
        self.readAt = readAt
    }
}

/// A time by the store's clock and by ours, `SyncClock.now`, which runs on while the machine sleeps.
package struct StoreMoment: Equatable, Sendable {
    package var date: StoreTime
    package var clock: UInt64

    package init(date: StoreTime, clock: UInt64) {
        self.date = date
        self.clock = clock
    }

    /// The earlier one by each clock.
    func earlier(_ other: StoreMoment) -> StoreMoment {
        StoreMoment(date: min(date, other.date), clock: min(clock, other.clock))
    }
}

extension KnownChunk {
    /// A chunk of the tree. What nothing refers to any more is not known: the collector may have begun.
    /// - Parameter readAt: nil where the log was not read yet: then the tree says nothing.
    package init(_ record: ChunkRecord, _ retention: AccountRetention, readAt: StoreMoment?) {
        let isReferenced = readAt != nil && (record.liveCount > 0 || record.retainedCount > 0)
        let end = record.retainedSince.seconds.addingReportingOverflow(retention.historySeconds)
        self.init(
            locator: record.locator, referencedSince: isReferenced ? record.since : nil,
            referencedUntil: record.liveCount > 0
                ? nil : StoreTime(seconds: end.overflow ? record.retainedSince.seconds : end.partialValue),
            readAt: readAt)
    }
}

/// Which objects were seen in the store, and when. It lives in memory only: after a crash everything is
/// looked at anew.
package struct PresenceChecks: Equatable, Sendable {
    private var checks: [StoredName: StoreMoment] = [:]

    package init() {}

    /// - Parameter moment: the date of the reply that said so, and our clock before the question.
    mutating func insert(_ name: StoredName, at moment: StoreMoment) { checks[name] = moment }

    package mutating func merge(_ other: PresenceChecks) {
        checks.merge(other.checks) { $1 }
    }

    /// Whether all checks still count at the commit whose reply has this date: none is older than
    /// `checkSeconds` by the store's clock, nor by ours, which runs on while the machine sleeps.
    package func hold(
        at date: StoreTime, clock now: UInt64, _ retention: AccountRetention, _ rules: SafetyRules = .all
    ) -> Bool {
        guard rules.hold(.checksExpire) else { return true }
        let limit = retention.checkSeconds
        return checks.values.allSatisfy { check in
            let elapsedSeconds = Int64(clamping: (now &- check.clock) / 1_000_000_000)
            let dated = date.seconds.subtractingReportingOverflow(check.date.seconds)
            return now >= check.clock && elapsedSeconds <= limit
                && !dated.overflow && dated.partialValue <= limit
        }
    }
}

extension AccountRetention {
    /// Whether an object counts as present that a HEAD found. No collector that is running may yet delete it:
    /// it is young, or every root that was read for a long time referenced it.
    func isPresent(
        _ found: ObjectInfo, at date: StoreTime, of traits: StoreTraits, known: KnownChunk?,
        _ rules: SafetyRules
    ) -> Bool {
        guard rules.hold(.presenceIsChecked) else { return true }
        if found.lastModified.seconds > date.seconds - youthSeconds { return true }
        return isLongReferenced(known, at: date, of: traits)
    }

    /// Since before any collector that is running began, and for longer than it runs.
    ///
    /// The log says since when. Where dates are those of machines its time may have gone on by `graceSeconds`
    /// at once (`AccountPresent`), so as much more has to have passed, and to be left.
    func isLongReferenced(_ known: KnownChunk?, at date: StoreTime, of traits: StoreTraits) -> Bool {
        guard let known, let since = known.referencedSince else { return false }
        let seconds = graceSeconds + (traits.clockIsOurs ? graceSeconds : 0)
        guard since.seconds <= date.seconds - seconds else { return false }
        return known.referencedUntil.map { $0.seconds > date.seconds + seconds } ?? true
    }
}
