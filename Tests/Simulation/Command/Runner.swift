internal import CloudSync
internal import Glibc
internal import SyncLog

/// Does what the options ask for.
enum Runner {
    /// - Returns: whether nothing was found wrong.
    static func run(_ options: Options) -> Bool {
        if options.lists {
            for rule in SafetyRule.allCases { print(rule.rawValue) }
            return true
        }
        if let part = options.part {
            work(part, options)
            return true
        }
        if options.mutants { return Mutants.run(options) }
        guard let count = options.count else { return replay(options) }
        return run(count, options)
    }

    private static func replay(_ options: Options) -> Bool {
        var isWell = true
        for history in options.histories {
            var plan = history
            if options.shrinks { plan = Shrinking.shrink(plan, removed: options.removed) }
            let sink: ((String) -> Void)? = options.isQuiet ? nil : { print($0) }
            let outcome = Outcome.of(plan, removed: options.removed, sink: sink)
            if options.shrinks { for step in plan.steps { print(Trace.time(step.time), step.kind) } }
            for failure in outcome.failures { print(failure) }
            print(outcome.line)
            isWell = isWell && outcome.failures.isEmpty
            if options.endings { isWell = Endings.run(plan, options) && isWell }
        }
        return isWell
    }

    /// Many seeds, in as many processes as asked for: histories share nothing.
    private static func run(_ count: Int, _ options: Options) -> Bool {
        let from = options.from ?? UInt64.random(in: 1_000_000_000...1_000_000_000_000)
        print("seeds \(from) to \(from + UInt64(count) - 1)")
        fflush(nil)
        let start = Clock.seconds
        let rules = options.removed.sorted { $0.rawValue < $1.rawValue }.flatMap {
            ["--remove", $0.rawValue]
        }
        let met = Met()
        let found = Workers.run(
            jobs: options.jobs,
            ["--count", "\(count)", "--from", "\(from)"] + rules + options.shapeArguments
                + (options.isTiny ? ["--tiny"] : []) + (options.isQuiet ? ["--quiet"] : []), met: met)
        for line in found where line.hasPrefix("died") { print(line) }
        let total = count * (options.shapes?.count ?? 1)
        for line in met.lines { print("  \(line)") }
        print("\(total) histories, \(found.count) failed, \(Clock.seconds - start) s")
        // A few histories need not meet everything, nor those of people's bounds.
        let missing = total >= 1_000 && options.isTiny ? met.missing : []
        for what in missing { print("no history met \(what)") }
        return found.isEmpty && missing.isEmpty
    }

    /// One worker's part of them.
    private static func work(_ part: Int, _ options: Options) {
        if options.mutants { return Mutants.work(part, options) }
        let (from, start) = (options.from ?? 0, Clock.seconds)
        let shapes: [Shape?] = options.shapes ?? [nil]
        let count = (options.count ?? 0) * shapes.count
        let met = Met()
        defer { Workers.say(met) }
        for index in stride(from: part, to: count, by: options.jobs) {
            let seed = from + UInt64(index / shapes.count)
            let plan =
                shapes[index % shapes.count].map { Plan(shape: $0, number: seed) }
                ?? (options.isTiny ? Plan(tiny: seed) : Plan(seed: seed))
            Workers.say("@\(plan.name)")
            let outcome = Outcome.of(plan, removed: options.removed)
            met.add(outcome.met)
            if !outcome.failures.isEmpty { Workers.say(outcome.line) }
            if part == 0, index > 0, index / options.jobs % 250 == 0, !options.isQuiet {
                print("\(index) of \(count), \(Clock.seconds - start) s")
                fflush(nil)
            }
        }
    }
}

enum Clock {
    static var seconds: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec
    }
}
