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

    /// More, fresh ones: `mount-scripts/simulate --count N`.
    @Test func nothingIsLostInTheFixedHistories() throws {
        let run = try Simulate("--count", "100", "--from", "1", "--quiet")
        #expect(run.status == 0, "\(run.output)")
    }

    /// Two apps of which something was left woke each other without end; a document became one with another
    /// while a person brought back what it had.
    @Test func whatFailedOnceDoesNotFailAgain() throws {
        for number in ["116718", "5044", "5246"] {
            let run = try Simulate("tiny/\(number)", "--quiet")
            #expect(run.status == 0, "\(run.output)")
        }
    }

    /// Of each shape: `mount-scripts/simulate --count N --shape all`.
    @Test func nothingIsLostInTheShapesThatAreAimedAtRules() throws {
        let run = try Simulate("--count", "4", "--from", "1", "--shape", "all", "--quiet")
        #expect(run.status == 0, "\(run.output)")
    }

    /// SYNC.md 7, item 3: each rule is taken away, and the loss is seen within 300 histories.
    @Test func theRemovalOfEachSafetyRuleIsSeen() throws {
        let run = try Simulate("--mutants", "--within", "300")
        #expect(run.status == 0, "\(run.output)")
    }

    @Test func aHistoryIsNamedByItsShapeAndItsNumber() throws {
        let (first, second) = (try Simulate("files/3", "--quiet"), try Simulate("files/3", "--quiet"))
        #expect(first.lines == second.lines)
        #expect(first.output.contains("seed files/3 trace"))
        #expect(try Simulate("files/4", "--quiet").lines != first.lines)
        #expect(try Simulate("nowhere/4").status != 0)
    }
}
