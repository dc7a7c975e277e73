/// Sizes as people write them.
public enum ByteCount {
    /// The bytes that `text` means: digits, then nothing, `K`, `M`, `G` or `T` (powers of 1000, `B` may
    /// follow), or `KiB`, `MiB`, `GiB`, `TiB` (powers of 1024).
    /// - Returns: nil for anything else, and past 2^63.
    public static func parse(_ text: String) -> Int64? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int64(digits) else { return nil }
        let unit = text.dropFirst(digits.count).lowercased()
        let powers = ["k": 1, "m": 2, "g": 3, "t": 4]
        guard let first = unit.first else { return number }
        guard unit != "b" else { return number }
        guard let power = powers[String(first)], ["", "b", "ib"].contains(unit.dropFirst()) else {
            return nil
        }
        let base: Int64 = unit.hasSuffix("ib") ? 1024 : 1000
        return (0..<power).reduce(number as Int64?) { value, _ in
            value.flatMap { value in
                let (product, overflow) = value.multipliedReportingOverflow(by: base)
                return overflow ? nil : product
            }
        }
    }
}
