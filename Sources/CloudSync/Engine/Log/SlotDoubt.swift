internal import CloudStore
internal import StoreBasics
internal import SyncContent
internal import SyncLog

/// Whether what the store said of the next slots may be believed.
///
/// An empty slot may be one that was truncated, and an entry in it the late write of a device that slept: a
/// ghost. Only entries over 30 days old are truncated, and the entries above the tree's head are younger than
/// the head: while the store's date is less than 20 days after it, none of them can be gone.
struct SlotDoubt {
    private let headModified: StoreTime?
    private let limitSeconds: Int64
    private let rules: SafetyRules
    /// The floors are to be asked, after the last answer that was heard.
    private(set) var isRaised: Bool

    init(headModified: StoreTime?, traits: StoreTraits, retention: AccountRetention, rules: SafetyRules) {
        self.headModified = headModified
        self.rules = rules
        limitSeconds = retention.slotDoubtSeconds
        // A machine's clock says nothing, and without the head's time there is nothing to compare with.
        isRaised = rules.hold(.slotsAreDoubted) && (traits.clockIsOurs || headModified == nil)
    }

    /// Whatever the answer was: also an entry that is there may be a ghost.
    mutating func hear(at date: StoreTime) {
        guard rules.hold(.slotsAreDoubted), let headModified else { return }
        let (age, overflow) = date.seconds.subtractingReportingOverflow(headModified.seconds)
        if overflow || age >= limitSeconds { isRaised = true }
    }
}
