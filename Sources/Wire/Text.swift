internal import FoundationEssentials
internal import Posix

// How both sides write for people.

/// A word as a shell reads it back, whatever it holds.
public func shellQuoted(_ word: String) -> String {
    let isPlain = word.unicodeScalars.allSatisfy { scalar in
        scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
            || "/._-+,@%:=".unicodeScalars.contains(scalar)
    }
    return isPlain && !word.isEmpty
        ? word : "'" + word.parts(between: "'", keepingEmpty: true).joined(separator: "'\\''") + "'"
}

/// Bytes as people read them, in powers of 1000.
public func byteCount(_ bytes: Int64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB"]
    var value = Double(bytes)
    var unit = 0
    // What would be rounded to 1000 is 1.0 of the next.
    while value >= 999.5, unit + 1 < units.count {
        value /= 1000
        unit += 1
    }
    // Whatever a client says is a number of bytes too, and one below zero has no tenths.
    if unit == 0 { return "\(bytes) B" }
    let tenths = Int((value * 10).rounded())
    return tenths >= 100
        ? "\(Int(value.rounded())) \(units[unit])" : "\(tenths / 10).\(tenths % 10) \(units[unit])"
}

/// So many of something, as people read it: `1 file`, `1,234 files`.
public func counted(_ count: Int, _ noun: String) -> String {
    count.groupedDigits + " " + noun + (count == 1 ? "" : "s")
}

/// A time in seconds since 1970, as ISO 8601 in UTC.
public func timeText(_ seconds: Double) -> String {
    Date(timeIntervalSince1970: Timestamp(seconds: seconds).seconds).formatted(.iso8601)
}
