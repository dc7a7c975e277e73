internal import CloudSync
internal import SyncLog

/// Makes a failing history small: drops steps while what is left fails in the same way.
enum Shrinking {
    static func shrink(_ plan: Plan, removed: Set<SafetyRule>) -> Plan {
        guard let failure = kind(of: plan, removed) else { return plan }
        var plan = plan
        var size = max(plan.steps.count / 2, 1)
        while true {
            var dropped = false
            var start = 0
            while start < plan.steps.count {
                var smaller = plan
                smaller.steps.removeSubrange(start..<min(start + size, plan.steps.count))
                if kind(of: smaller, removed) == failure {
                    plan = smaller
                    dropped = true
                } else {
                    start += size
                }
            }
            if size == 1 && !dropped { return plan }
            if !dropped { size = max(size / 2, 1) }
        }
    }

    /// The invariant that broke; another one is another failure.
    private static func kind(of plan: Plan, _ removed: Set<SafetyRule>) -> Substring? {
        Outcome.of(plan, removed: removed).failures.first?.prefix { $0 != " " && $0 != ":" }
    }
}
