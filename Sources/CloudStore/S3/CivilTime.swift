/// A moment as a calendar has it, in UTC: what HTTP, S3 and its signatures write.
struct CivilTime {
    let year, month, day, hour, minute, second: Int
    let weekday: Int

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Days are counted from a first of March, 400 years at a time, so that leap days come last.
    init(_ time: StoreTime) {
        let (days, seconds) = Self.divide(time.seconds, 86400)
        let (era, dayOfEra) = Self.divide(days + 719_468, 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = Int(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
        month = Int(shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9)
        year = Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0)
        (hour, minute, second) = (Int(seconds / 3600), Int(seconds / 60 % 60), Int(seconds % 60))
        weekday = Int(Self.divide(days + 4, 7).rest)
    }

    private static func divide(_ value: Int64, _ divisor: Int64) -> (quotient: Int64, rest: Int64) {
        let rest = (value % divisor + divisor) % divisor
        return ((value - rest) / divisor, rest)
    }

    /// `20130524T000000Z`
    var signatureText: String {
        func digits(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return "\(year)\(digits(month))\(digits(day))T\(digits(hour))\(digits(minute))\(digits(second))Z"
    }

    /// `Sat, 21 Nov 2026 17:09:12 GMT` (RFC 9110, IMF-fixdate), which is what servers send; nil for all else.
    static func httpDate(_ text: String) -> StoreTime? {
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[0].hasSuffix(","), parts[5] == "GMT",
            let month = months.firstIndex(of: String(parts[2])), parts[1].utf8.count == 2
        else { return nil }
        return time(parts[3], "\(month + 1)", parts[1], parts[4])
    }

    /// `2026-11-21T17:09:12.345Z`, with or without a fraction; nil for all else.
    static func iso8601(_ text: String) -> StoreTime? {
        let parts = text.split(separator: "T", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].hasSuffix("Z") else { return nil }
        let date = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard date.count == 3 else { return nil }
        let clock = parts[1].dropLast().split(separator: ".", omittingEmptySubsequences: false)
        guard clock.count <= 2 else { return nil }
        return time(date[0], date[1], date[2], clock[0])
    }

    private static func time(
        _ year: some StringProtocol, _ month: some StringProtocol, _ day: some StringProtocol,
        _ clock: some StringProtocol
    ) -> StoreTime? {
        let parts = clock.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let year = number(year, 1601...9999), let month = number(month, 1...12),
            let day = number(day, 1...31), let hour = number(parts[0], 0...23),
            let minute = number(parts[1], 0...59), let second = number(parts[2], 0...60)
        else { return nil }
        let shiftedYear = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = divide(shiftedYear, 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let days = era * 146_097 + dayOfEra - 719_468
        return StoreTime(seconds: days * 86400 + hour * 3600 + minute * 60 + second)
    }

    private static func number(_ text: some StringProtocol, _ range: ClosedRange<Int64>) -> Int64? {
        guard (1...4).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int64(String(text)).flatMap { range.contains($0) ? $0 : nil }
    }
}
