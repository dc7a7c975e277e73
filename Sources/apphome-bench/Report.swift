/// A run as a table for people.
struct Report {
    let options: Options
    let results: [WorkloadResult]
    let skipped: [Workload]

    /// The directory that every ratio refers to.
    static let baseline = "native"

    /// Lines of the table, with its heading.
    func lines() -> [String] {
        let scale = options.scale
        var lines = [
            "seed \(options.seed), \(options.roundCount) rounds, \(scale.callCount) calls, "
                + "\(scale.entryCount) entries, \(scale.sizeMiB) MiB; medians; ratio above 1 is slower",
            "",
        ]
        lines += Self.aligned([heading()] + results.map(row))
        lines += skipped.map { "skipped: \($0.name): only root may drop the kernel's caches" }
        return lines
    }

    /// Ratios to the peer above the limit, one line each.
    func excesses() -> [String] {
        guard let limit = options.ratioLimit, let peer = options.peer else { return [] }
        return results.flatMap { result in
            comparedLabels.compactMap { label in
                guard let ratio = result.ratio(of: label, to: peer), ratio > limit else { return nil }
                let pinned = result.isPinned ? "pinned" : "not pinned"
                return "\(result.workload.name) (\(pinned)): \(label) takes \(fixed(ratio, 2)) times \(peer)"
            }
        }
    }

    /// Every directory that is neither the baseline nor the peer.
    private var comparedLabels: [String] {
        options.directories.map(\.label).filter { $0 != Self.baseline && $0 != options.peer }
    }

    private func references(of label: String) -> [String] {
        let labels = options.directories.map(\.label)
        return [Self.baseline, options.peer].compactMap(\.self).filter { reference in
            reference != label && labels.contains(reference)
                && !(reference == options.peer && label == Self.baseline)
        }
    }

    private func heading() -> [String] {
        ["workload", "pinned", "unit"]
            + options.directories.flatMap { directory in
                [directory.label] + references(of: directory.label).map { "/\($0)" }
            }
    }

    private func row(_ result: WorkloadResult) -> [String] {
        let unit = result.workload.measure == .microsecondsPerCall ? "us" : "MiB/s"
        return [result.workload.name, result.isPinned ? "yes" : "no", unit]
            + options.directories.flatMap { directory in
                [fixed(result.figure(of: directory.label), 1)]
                    + references(of: directory.label).map { reference in
                        fixed(result.ratio(of: directory.label, to: reference) ?? 0, 2)
                    }
            }
    }

    private static func aligned(_ rows: [[String]]) -> [String] {
        guard let columnCount = rows.first?.count else { return [] }
        let widths = (0..<columnCount).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            zip(row, widths).enumerated().map { index, cell in
                let padding = String(repeating: " ", count: cell.1 - cell.0.count)
                return index == 0 ? cell.0 + padding : padding + cell.0
            }.joined(separator: "  ")
        }
    }
}

extension WorkloadResult {
    private func samplesSeconds(of label: String) -> [Double]? {
        series.first { $0.directory == label }?.samplesSeconds
    }

    /// The median in the workload's measure: microseconds a call, or MiB a second.
    func figure(of label: String) -> Double {
        let seconds = median(samplesSeconds(of: label) ?? [])
        switch workload.measure {
        case .microsecondsPerCall: return seconds * 1_000_000 / Double(unitCount)
        case .mebibytesPerSecond: return seconds > 0 ? Double(unitCount) / seconds : 0
        }
    }

    /// How much longer `label` took than `reference`; nil where one of them was not measured.
    func ratio(of label: String, to reference: String) -> Double? {
        guard let mine = samplesSeconds(of: label), let theirs = samplesSeconds(of: reference) else {
            return nil
        }
        return pairedRatio(mine, to: theirs)
    }
}

/// `value` with that many digits after the point.
func fixed(_ value: Double, _ digitCount: Int) -> String {
    var scale = 1.0
    for _ in 0..<digitCount { scale *= 10 }
    let scaled = (value * scale).rounded()
    guard scaled.isFinite, abs(scaled) < 1e15 else { return "-" }
    let whole = Int(scaled) / Int(scale)
    let fraction = String(abs(Int(scaled)) % Int(scale))
    return digitCount == 0
        ? String(whole)
        : "\(whole)." + String(repeating: "0", count: digitCount - fraction.count) + fraction
}
