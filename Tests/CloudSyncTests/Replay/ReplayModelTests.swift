import CloudSync
import Testing

@Suite struct ReplayModelTests {
    static let seeds: UInt64 = 300

    @Test func `Nothing is lost and all trees are equal, whatever devices say in whatever order`() throws {
        for seed in 0..<Self.seeds {
            var model = ReplayModel(seed: seed)
            let findings = try model.run()
            #expect(findings == [], "seed \(seed)")
            if !findings.isEmpty { return }
        }
    }
}
