/// The middle of `values`; of an even number the mean of the two in the middle. 0 where there are none.
func median(_ values: [Double]) -> Double {
    guard !values.isEmpty else { return 0 }
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
}

/// The median, over the rounds, of how much longer `samples` took than `peer` in the same round.
///
/// Pairs and not the quotient of two medians: what disturbs the machine for some rounds disturbs both.
func pairedRatio(_ samples: [Double], to peer: [Double]) -> Double {
    median(zip(samples, peer).map { pair in pair.1 > 0 ? pair.0 / pair.1 : 0 })
}

/// SplitMix64: a run's random order is repeated by giving its seed again.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
