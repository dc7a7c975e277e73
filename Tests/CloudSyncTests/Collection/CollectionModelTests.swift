import Glibc
import Testing

@testable import CloudSync
@testable import SyncLog

@Suite("Collection loses no chunk that a durable file needs")
struct CollectionModelTests {
    /// A few in every run; `COLLECTION_SEEDS=20000` by hand.
    static let seeds = 0..<(getenv("COLLECTION_SEEDS").flatMap { UInt64(String(cString: $0)) } ?? 200)

    private func firstLoss(without rule: SafetyRule?, in seeds: Range<UInt64>) async -> (UInt64, String)? {
        for seed in seeds {
            let model = CollectionModel(seed: seed, removed: rule)
            await model.run()
            if let loss = model.dangling.first { return (seed, loss) }
        }
        return nil
    }

    @Test("with all rules nothing is lost")
    func allRules() async {
        let loss = await firstLoss(without: nil, in: Self.seeds)
        #expect(loss == nil, "seed \(String(describing: loss))")
    }

    /// With the first seed that is tried: each rule's losses lie elsewhere.
    @Test(
        "without one of the rules something is lost",
        arguments: [
            (SafetyRule.presenceIsChecked, 1100 as UInt64), (.oldReferencesAreLookedAt, 0),
            (.checksExpire, 0), (.collectionIsBounded, 0), (.replacedLocatorsStay, 0),
        ])
    func mutation(rule: SafetyRule, from first: UInt64) async {
        let loss = await firstLoss(without: rule, in: first..<first + 600)
        #expect(loss != nil, "\(rule) is not missed")
    }

    @Test("the same seed is the same history")
    func replayable() async {
        let (one, other) = (CollectionModel(seed: 5, removed: nil), CollectionModel(seed: 5, removed: nil))
        await one.run()
        await other.run()
        #expect(one.deleted == other.deleted && one.commits == other.commits)
        #expect(one.clock.now() == other.clock.now() && one.commits > 5)
    }
}
