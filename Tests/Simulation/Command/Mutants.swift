internal import CloudSync
internal import Glibc
internal import SyncLog

/// The proof that the simulation bites: without a rule some history of the shape that is meant for it has to
/// fail, which holds with the rule. The first one ends the search.
enum Mutants {
    static func run(_ options: Options) -> Bool {
        let rules = options.removed.sorted { $0.rawValue < $1.rawValue }.flatMap {
            ["--remove", $0.rawValue]
        }
        let start = Clock.seconds
        let survived = Workers.run(
            jobs: options.jobs,
            ["--mutants", "--within", "\(options.within)"] + rules + options.shapeArguments)
        for line in survived where line.hasPrefix("died") { print(line) }
        print("\(survived.count) rules were not missed, \(Clock.seconds - start) s")
        return survived.isEmpty
    }

    static func work(_ part: Int, _ options: Options) {
        let rules = SafetyRule.allCases.filter { options.removed.isEmpty || options.removed.contains($0) }
        for index in stride(from: part, to: rules.count, by: options.jobs) {
            Workers.say("@\(rules[index].rawValue)")
            tryWithout(rules[index], options)
            fflush(nil)
        }
    }

    private static func tryWithout(_ rule: SafetyRule, _ options: Options) {
        switch rule.proof {
        case .history(let shape, let hint, let other):
            let shapes = options.shapes ?? [shape]
            for shape in shapes where isMissed(rule, behind: other, in: shape, hint: hint, options) { return }
            Workers.say("\(column(rule.rawValue)) not missed in \(options.within) histories")
        case .test(let name, let why):
            print("\(column(rule.rawValue)) shown by \(name): \(why)")
        }
    }

    private static func isMissed(
        _ rule: SafetyRule, behind other: SafetyRule?, in shape: Shape, hint: UInt64, _ options: Options
    ) -> Bool {
        let kept: Set<SafetyRule> = other.map { [$0] } ?? []
        let start = Clock.seconds
        let seeds = [hint] + (1...UInt64(max(1, options.within)))
        for seed in seeds {
            let plan = Plan(shape: shape, number: seed)
            guard let failure = Outcome.of(plan, removed: kept.union([rule])).failures.first,
                Outcome.of(plan, removed: kept).failures.isEmpty
            else { continue }
            let seconds = Clock.seconds - start
            print("\(column(rule.rawValue)) \(column(plan.name)) \(seconds) s  \(failure.prefix(120))")
            return true
        }
        return false
    }

    private static func column(_ text: String) -> String {
        text + String(repeating: " ", count: max(0, 28 - text.count))
    }
}
