internal import CloudSync
internal import Glibc

/// The proof that the simulation bites: without a rule some history has to fail.
enum Mutants {
    static func run(_ options: Options) -> Bool {
        let rules = options.removed.sorted { $0.rawValue < $1.rawValue }.flatMap {
            ["--remove", $0.rawValue]
        }
        let survived = Workers.run(
            jobs: options.jobs,
            ["--mutants", "--within", "\(options.within)", "--from", "\(options.from ?? 1)"] + rules)
        for line in survived where line.hasPrefix("died") { print(line) }
        print("\(survived.count) rules were not missed")
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
        let (from, start) = (options.from ?? 1, Clock.seconds)
        for seed in from..<from + UInt64(options.within) {
            let outcome = Outcome.of(Plan(seed: seed), removed: [rule])
            guard let failure = outcome.failures.first else { continue }
            let seconds = Clock.seconds - start
            print("\(rule.rawValue): missed after \(seed - from + 1) histories, \(seconds) s: \(failure)")
            return
        }
        Workers.say("\(rule.rawValue): not missed in \(options.within) histories, \(Clock.seconds - start) s")
    }
}
