/// What happened, as a number that two runs of a seed have in common, and as lines where a person reads
/// along.
// Unchecked: see WorldExecutor.
final class Trace: @unchecked Sendable {
    private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    private(set) var count = 0
    /// Lines are printed from here on; nil: none.
    var sink: ((String) -> Void)?
    var now: () -> UInt64 = { 0 }

    /// - Parameter words: all that makes this event another than a different one.
    func note(_ kind: StaticString, _ words: UInt64..., line: @autoclosure () -> String) {
        count += 1
        kind.withUTF8Buffer { bytes in
            for byte in bytes { mix(UInt64(byte)) }
        }
        mix(now())
        for word in words { mix(word) }
        if let sink { sink("\(Self.time(now())) \(kind) \(line())") }
    }

    private func mix(_ word: UInt64) {
        hash = (hash ^ word) &* 0x0000_0100_0000_01B3
        hash ^= hash >> 29
    }

    static func fingerprint(_ bytes: some Sequence<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return hash
    }

    static func time(_ nanoseconds: UInt64) -> String {
        let milliseconds = nanoseconds / 1_000_000
        let (days, rest) = (milliseconds / 86_400_000, milliseconds % 86_400_000)
        let (seconds, thousandths) = (rest / 1000, rest % 1000)
        let digits = String(thousandths + 1000).dropFirst()
        return (days > 0 ? "\(days)d " : "") + "\(seconds).\(digits)"
    }
}
