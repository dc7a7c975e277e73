import Testing

/// SYNC.md 7, item 2. Each run says its seeds; `mount-scripts/simulate SEED` replays one.
struct SeedTests {
    @Test func theSameSeedGivesTheSameTrace() throws {
        for seed in ["11", "22", "33"] {
            let (first, second) = (try Simulate(seed, "--quiet"), try Simulate(seed, "--quiet"))
            #expect(first.lines.last == second.lines.last)
            #expect(first.output.contains("trace"))
        }
    }

    @Test func anotherSeedGivesAnotherTrace() throws {
        #expect(try Simulate("11", "--quiet").lines.last != Simulate("12", "--quiet").lines.last)
    }

    @Test func nothingIsLostInTheFixedHistories() throws {
        let count = Simulate.optimised == nil ? "100" : "5000"
        let run = try Simulate("--count", count, "--from", "1", "--quiet")
        #expect(run.status == 0, "\(run.output)")
    }

    @Test func nothingIsLostInFreshHistories() throws {
        let run = try Simulate("--count", Simulate.optimised == nil ? "40" : "2000", "--quiet")
        print(run.lines.first ?? "")
        #expect(run.status == 0, "\(run.output)")
    }

    /// Otherwise the two above would prove nothing.
    @Test(.enabled(if: Simulate.optimised != nil, "takes the optimised build: APPHOME_SIMULATE"))
    func withoutEachSafetyRuleSomethingIsLost() throws {
        let run = try Simulate("--mutants", "--within", "300")
        print(run.output)
        #expect(run.status == 0, "\(run.output)")
    }
}
