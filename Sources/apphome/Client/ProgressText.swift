internal import Wire

/// How fast work went of late.
struct WorkRate {
    private var notes: [(bytes: Int64, part: Double, time: ContinuousClock.Instant)] = []
    private static let window = Duration.seconds(5)

    mutating func note(_ progress: Progress, at time: ContinuousClock.Instant) {
        notes.append((progress.bytesDone, progress.part ?? 0, time))
        while notes.count > 2, notes[1].time < time - Self.window { notes.removeFirst() }
    }

    /// Nil while it is not known.
    var bytesPerSecond: Double? {
        perSecond { Double($0.bytes) }
    }

    /// How long the rest takes at this rate; nil while that is not known.
    var secondsLeft: Double? {
        guard let rate = perSecond(\.part), rate > 0, let last = notes.last else { return nil }
        return max(0, 1 - last.part) / rate
    }

    private func perSecond(
        _ value: ((bytes: Int64, part: Double, time: ContinuousClock.Instant)) -> Double
    ) -> Double? {
        guard let first = notes.first, let last = notes.last, last.time > first.time else { return nil }
        return max(0, value(last) - value(first)) / ((last.time - first.time) / .seconds(1))
    }
}

extension Progress {
    /// How much of all is done, from 0 to 1; nil where that is not known.
    fileprivate var part: Double? {
        for (done, total) in [(bytesDone, totalBytes), (itemsDone ?? 0, totalItems)] {
            if let total, total > 0 { return max(0, min(Double(done) / Double(total), 1)) }
        }
        return nil
    }
}

/// One line about how far work is.
struct ProgressText {
    /// From the longest to the shortest.
    private let forms: [String]

    init(_ progress: Progress, bytesPerSecond: Double?, secondsLeft: Double?) {
        let done = byteCount(progress.bytesDone)
        let rate = bytesPerSecond.map { ", \(byteCount(Int64(min($0, 1e18))))/s" } ?? ""
        guard let part = progress.part.map({ Int($0 * 100) }) else {
            forms = [done + rate, done]
            return
        }
        let rest = secondsLeft.map { ", \(Self.time($0)) left" } ?? ""
        guard let total = progress.totalBytes, total > 0 else {
            let items = "\(progress.itemsDone ?? 0) of \(counted(Int(progress.totalItems ?? 0), "item"))"
            forms = ["\(items) (\(part) %)\(rest)", "\(part) %\(rest)", "\(part) %"]
            return
        }
        forms = [
            "\(done) of \(byteCount(total)) (\(part) %)\(rate)\(rest)",
            "\(byteCount(total)), \(part) %\(rate)\(rest)", "\(part) %\(rate)\(rest)", "\(part) %\(rest)",
            "\(part) %",
        ]
    }

    /// The longest form that is not wider than so many columns.
    func fitting(_ columns: Int) -> String { forms.first { $0.count <= columns } ?? forms[forms.count - 1] }

    private static func time(_ seconds: Double) -> String {
        let whole = Int(min(seconds.rounded(), 1e9))
        if whole < 60 { return "\(whole) s" }
        if whole < 3600 { return "\(whole / 60) min \(whole % 60) s" }
        return "\(whole / 3600) h \(whole % 3600 / 60) min"
    }
}
