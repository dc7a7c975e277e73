/// The rules of sync that were bought with a counter-example, each with a switch. The product never takes one
/// away; the simulation does, one at a time, and has to see the loss.
public struct SafetyRules: Sendable {
    /// What has been taken away.
    public var removed: Set<SafetyRule>

    public init(removed: Set<SafetyRule> = []) {
        self.removed = removed
    }

    public static let all = SafetyRules()
    public func hold(_ rule: SafetyRule) -> Bool { !removed.contains(rule) }
}

/// Named by what holds while it stands; the section of SYNC.md beside it.
public enum SafetyRule: String, CaseIterable, Sendable {
    // Replay (3)
    case deleteNamesContents
    case deleteNamesVersions
    // Commit protocol (4)
    case lateTwinsAreDropped
    case slotsAreDoubted
    case foreignSlotsAreDoubted
    case batchHashTellsOwn
    case clonesReplaceRevisions
    case flagsAreReadAgain
    // The local side (5)
    case pathDecidesFirst
    // Collection (6)
    case presenceIsChecked
    case oldReferencesAreLookedAt
}
