import SandboxRules

extension String {
    /// Runs `body` with this text's bytes, as the rules take names.
    func withNameBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        var copy = self
        return copy.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }

    func place(in directory: Place, isDirectory: Bool = true, under policy: NamePolicy = .device) -> Place {
        withNameBytes { directory.place(ofChild: $0, isDirectory: isDirectory, under: policy) }
    }
}

/// The same random numbers in every run, so that a failure can be repeated.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
        return word ^ (word >> 31)
    }
}
