internal import ArgumentParser
internal import FoundationEssentials

/// A moment as a person writes it: `2026-11-20T18:30:00Z`, or a day, which means its end.
struct TimeOption: ExpressibleByArgument {
    /// Since 1970.
    let seconds: Int64

    init?(argument: String) {
        if let date = try? Date(argument, strategy: .iso8601) {
            seconds = Int64(clamping: Int(date.timeIntervalSince1970.rounded(.down)))
            return
        }
        guard argument.utf8.count == 10, let date = try? Date("\(argument)T23:59:59Z", strategy: .iso8601)
        else { return nil }
        seconds = Int64(date.timeIntervalSince1970)
    }
}
