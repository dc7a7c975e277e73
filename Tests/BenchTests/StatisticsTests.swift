import Testing

@testable import apphome_bench

@Suite struct StatisticsTests {
    @Test func `The median is the middle value, or the mean of the two`() {
        #expect(median([3, 1, 2]) == 2)
        #expect(median([4, 1, 3, 2]) == 2.5)
        #expect(median([]) == 0)
    }

    @Test func `A ratio pairs the samples of one round`() {
        // The third round is slow for both; the quotient of the medians would be 2 / 1.
        #expect(pairedRatio([2, 2, 30], to: [1, 1, 10]) == 2)
        #expect(pairedRatio([1, 20, 3], to: [1, 10, 1]) == 2)
    }

    @Test func `A seed gives its order again`() {
        func order(_ seed: UInt64) -> [Int] {
            var generator = SeededGenerator(seed: seed)
            return Array(0..<20).shuffled(using: &generator)
        }
        #expect(order(1) == order(1))
        #expect(order(1) != order(2))
    }

    @Test func `Figures are rounded, not cut`() {
        #expect(fixed(1.005001, 2) == "1.01")
        #expect(fixed(2, 1) == "2.0")
        #expect(fixed(0.04, 1) == "0.0")
        #expect(fixed(12.5, 0) == "13")
        #expect(fixed(-0.5, 1) == "-0.5" && fixed(-12, 1) == "-12.0" && fixed(-0.04, 1) == "0.0")
        #expect(fixed(.infinity, 1) == "-")
    }
}
