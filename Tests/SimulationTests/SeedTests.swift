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

    /// More, fresh ones and each safety rule taken away: `mount-scripts/simulate --count N`, `--mutants`.
    @Test func nothingIsLostInTheFixedHistories() throws {
        let run = try Simulate("--count", "100", "--from", "1", "--quiet")
        #expect(run.status == 0, "\(run.output)")
    }
}
