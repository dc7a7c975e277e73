/// A run as a table for people.
struct Report {
    let options: Options
    let results: [WorkloadResult]
    let failures: [Failure]

    /// The directory that every ratio refers to.
    static let baseline = "native"
    /// What stands where nothing was measured.
    static let nothing = "-"

    /// Lines of the table, with its heading.
    func lines() -> [String] {
        var lines = [summary(), ""]
        lines += Self.aligned([heading()] + results.map(row))
        let servers = serverTable()
        if servers.count > 1 {
            lines += ["", "CPU time of the serving process, us per call or MiB, ms per run", ""]
            lines += Self.aligned(servers)
        }
        return lines + notes()
    }

    /// What was run, and how to read the figures.
    func summary() -> String {
        let scale = options.scale
        var parts = [
            "seed \(options.seed), \(options.roundCount) rounds (\(options.treeRoundCount) on the tree), "
                + "\(scale.callCount) calls, \(scale.entryCount) entries, \(scale.sizeMiB) MiB, "
                + "\(scale.treeFileCount) files in the tree", "medians", "ratio above 1 is slower",
        ]
        if options.directories.contains(where: \.isPeer) { parts.append("/best: to the fastest peer") }
        for isPinned in options.pinning.choices {
            guard let floor = floorMicroseconds(isPinned: isPinned) else { continue }
            parts.append("F = \(fixed(floor, 1)) us \(isPinned ? "pinned" : "not pinned")")
        }
        return parts.joined(separator: "; ")
    }

    /// F: the median of all rounds; nil where no floor was measured.
    func floorMicroseconds(isPinned: Bool) -> Double? {
        let samples = results.filter { $0.isPinned == isPinned }.flatMap(\.floorSeconds)
        return samples.isEmpty ? nil : median(samples) * 1_000_000
    }

    /// What is missing in the table, and why.
    func notes() -> [String] {
        options.selection().skipped.map { "skipped: \($0.name): only root may drop the kernel's caches" }
            + failures.map { "could not: \($0.message)" }
    }

    /// Ratios to the reference above the limit, one line each.
    func excesses() -> [String] {
        guard let limit = options.ratioLimit, let reference = options.reference else { return [] }
        let limited = options.directories.filter { directory in
            !directory.isPeer && directory.label != Self.baseline && directory.label != reference
        }
        return results.flatMap { result in
            limited.map(\.label).compactMap { label in
                guard let ratio = result.ratio(of: label, to: reference), ratio > limit else { return nil }
                let pinned = result.isPinned ? "pinned" : "not pinned"
                let name = result.workload.name
                return "\(name) (\(pinned)): \(label) takes \(fixed(ratio, 2)) times \(reference)"
            }
        }
    }

    /// The directories that ratios of `label` are shown to.
    func references(of label: String) -> [String] {
        let labels = options.directories.map(\.label)
        return [Self.baseline, options.reference].compactMap(\.self).filter { reference in
            reference != label && labels.contains(reference)
                && !(reference == options.reference && label == Self.baseline)
        }
    }

    /// Whether the cost of `label` is also shown in requests to the floor.
    private func showsFloor(_ label: String) -> Bool {
        options.floor != nil && label != Self.baseline && references(of: label).contains(Self.baseline)
    }

    /// Whether it is shown how far `label` is ahead of the best peer, or behind.
    private func showsBestPeer(_ label: String) -> Bool {
        options.directories.contains { !$0.isPeer && $0.label == label } && label != Self.baseline
            && options.directories.contains(where: \.isPeer)
    }

    /// `0.84:hp`: below 1 is ahead.
    private func bestPeer(_ result: WorkloadResult, _ label: String) -> String {
        let peers = options.directories.filter(\.isPeer).map(\.label)
        guard let best = result.best(of: peers, against: label) else { return Self.nothing }
        return "\(fixed(best.ratio, 2)):\(best.label)"
    }

    private func heading() -> [String] {
        ["workload", "pinned", "unit"]
            + options.directories.map(\.label).flatMap { label in
                [label] + references(of: label).map { "/\($0)" } + (showsFloor(label) ? ["xF"] : [])
                    + (showsBestPeer(label) ? ["/best"] : [])
            }
    }

    private func row(_ result: WorkloadResult) -> [String] {
        [result.workload.name, result.isPinned ? "yes" : "no", result.workload.measure.unit]
            + options.directories.map(\.label).flatMap { label in
                [cell(result.figure(of: label), 1)]
                    + references(of: label).map { cell(result.ratio(of: label, to: $0), 2) }
                    + (showsFloor(label)
                        ? [cell(result.floorMultiple(of: label, beyond: Self.baseline), 1)] : [])
                    + (showsBestPeer(label) ? [bestPeer(result, label)] : [])
            }
    }

    /// A row for each result, and a column for each directory whose server is known.
    private func serverTable() -> [[String]] {
        let labels = options.directories.filter { $0.serverProcessID != nil }.map(\.label)
        if labels.isEmpty { return [] }
        return [["workload", "pinned"] + labels]
            + results.map { result in
                // A run costs too much to be told in microseconds.
                let scale = result.workload.measure == .millisecondsPerRun ? 0.001 : 1
                return [result.workload.name, result.isPinned ? "yes" : "no"]
                    + labels.map { cell(result.serverMicroseconds(of: $0).map { $0 * scale }, 1) }
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

extension Workload.Measure {
    /// As the table names it.
    var unit: String {
        switch self {
        case .microsecondsPerCall: "us"
        case .mebibytesPerSecond: "MiB/s"
        case .millisecondsPerRun: "ms"
        }
    }
}

/// `value` for a table; a dash where there is none.
func cell(_ value: Double?, _ digitCount: Int) -> String {
    value.map { fixed($0, digitCount) } ?? Report.nothing
}

/// `value` with that many digits after the point.
func fixed(_ value: Double, _ digitCount: Int) -> String {
    var scale = 1.0
    for _ in 0..<digitCount { scale *= 10 }
    let scaled = (value * scale).rounded()
    guard scaled.isFinite, abs(scaled) < 1e15 else { return Report.nothing }
    let magnitude = Int(abs(scaled))
    let whole = (scaled < 0 ? "-" : "") + String(magnitude / Int(scale))
    let fraction = String(magnitude % Int(scale))
    return digitCount == 0
        ? whole : "\(whole)." + String(repeating: "0", count: digitCount - fraction.count) + fraction
}
