internal import CloudSync
internal import SyncLog

/// All crash points of one history: it is run again with each device ended before and after each of its
/// writes.
enum Endings {
    static func run(_ plan: Plan, _ options: Options) -> Bool {
        var isWell = true
        let writes = Self.writes(of: plan, options)
        for (device, count) in writes.enumerated() {
            for write in 0..<count {
                for isBefore in [true, false] {
                    var ended = plan
                    let kind = Plan.Kind.endAtWrite(
                        device: device, writes: write, isBefore: isBefore, .killed, away: Plan.second)
                    ended.steps.insert(Plan.Step(time: 0, kind: kind), at: 0)
                    let outcome = Outcome.of(ended, removed: options.removed)
                    guard let failure = outcome.failures.first else { continue }
                    print("seed \(plan.name), \(kind): \(failure)")
                    isWell = false
                }
            }
        }
        print("seed \(plan.name): ended at each of \(writes.reduce(0, +)) writes")
        return isWell
    }

    private static func writes(of plan: Plan, _ options: Options) -> [Int] {
        let world = World(plan, rules: .all)
        world.run()
        return world.devices.prefix(plan.devices).map(\.writes)
    }
}
