internal import CloudSync
internal import SyncContent

/// xoshiro256** over a state that SplitMix64 filled: small, fast, the same everywhere.
struct WorldRandom {
    private var state: (UInt64, UInt64, UInt64, UInt64)

    /// Streams of one seed are independent, so that a request more of one device does not change the others'
    /// luck.
    init(seed: UInt64, stream: UInt64 = 0) {
        var mixed = seed &+ stream &* 0xD1B5_4A32_D192_ED03
        func mix() -> UInt64 {
            mixed &+= 0x9E37_79B9_7F4A_7C15
            var word = mixed
            word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
            word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
            return word ^ (word >> 31)
        }
        state = (mix(), mix(), mix(), mix())
    }

    mutating func next() -> UInt64 {
        let product = state.1 &* 5
        let result = ((product << 7) | (product >> 57)) &* 9
        let shifted = state.1 << 17
        state.2 ^= state.0
        state.3 ^= state.1
        state.1 ^= state.2
        state.0 ^= state.3
        state.2 ^= shifted
        state.3 = (state.3 << 45) | (state.3 >> 19)
        return result
    }

    /// 0 ..< `bound`, which is positive.
    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
    mutating func chance(perMille: Int) -> Bool { below(1000) < perMille }
    mutating func pick<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[below(elements.count)]
    }
    mutating func nanoseconds(in range: Range<UInt64>) -> UInt64 {
        range.lowerBound + next() % (range.upperBound - range.lowerBound)
    }
}

/// A device's dice.
// Unchecked: see WorldExecutor.
final class DeviceRandomness: SyncRandomness, @unchecked Sendable {
    private var random: WorldRandom

    init(_ random: WorldRandom) {
        self.random = random
    }

    func next() -> UInt64 { random.next() }
}
