internal import FoundationEssentials
internal import StoreBasics

/// Moments as S3, its signatures and HTTP write them, in UTC. FoundationEssentials has no format for HTTP's
/// dates on Linux, and the whole of Foundation is a large thing to link for one.
enum CivilTime {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Characters of `2026-11-21T17:09:12`.
    private static let secondsLength = 19

    /// `20130524T000000Z`
    static func signatureText(_ time: StoreTime) -> String {
        Date(timeIntervalSince1970: Double(time.seconds))
            .formatted(.iso8601.dateSeparator(.omitted).timeSeparator(.omitted))
    }

    /// `2026-11-21T17:09:12.345Z`, with or without a fraction; nil for all else.
    static func iso8601(_ text: String) -> StoreTime? {
        // Foundation takes an hour 25 and the 30th of February too, for what comes so much later.
        guard text.hasSuffix("Z"), let date = try? Date(text, strategy: .iso8601),
            date.formatted(.iso8601).prefix(secondsLength) == text.prefix(secondsLength)
        else { return nil }
        return StoreTime(seconds: Int64(clamping: Int(date.timeIntervalSince1970.rounded(.down))))
    }

    /// `Sat, 21 Nov 2026 17:09:12 GMT` (RFC 9110, IMF-fixdate), which is what servers send; nil for all else.
    static func httpDate(_ text: String) -> StoreTime? {
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[0].hasSuffix(","), parts[5] == "GMT",
            let month = months.firstIndex(of: String(parts[2]))
        else { return nil }
        return iso8601("\(parts[3])-\(month < 9 ? "0" : "")\(month + 1)-\(parts[1])T\(parts[4])Z")
    }
}
