internal import CloudSync
internal import SyncLog

/// What a history came to.
struct Outcome {
    let name: String
    let traceHash: UInt64
    let events: Int
    let failures: [String]
    /// What it met, and how often (`Met`).
    let met: [String: Int]

    static func of(_ plan: Plan, removed: Set<SafetyRule>, sink: ((String) -> Void)? = nil) -> Outcome {
        let world = World(plan, rules: SafetyRules(removed: removed))
        world.trace.sink = sink
        world.run()
        return Outcome(
            name: plan.name, traceHash: world.trace.hash, events: world.trace.count,
            failures: world.failures, met: world.met.counts)
    }

    var line: String {
        let verdict = failures.first.map { "FAILED \($0)" } ?? "ok"
        return "seed \(name) trace \(String(traceHash, radix: 16)) events \(events) \(verdict)"
    }
}
