extension Report {
    /// The table as Markdown: a column for each directory, its ratio to native beside the figure.
    func markdown() -> [String] {
        let labels = options.directories.map(\.label)
        var lines = [summary(), ""]
        lines.append(Self.markdownRow(["workload", "unit"] + labels))
        lines.append("|---|---|" + String(repeating: "---:|", count: labels.count))
        lines += results.map { result in
            let pinned = result.isPinned ? ", pinned" : ""
            let cells = labels.map { markdownCell(result, $0) }
            return Self.markdownRow(
                [result.workload.name + pinned, result.workload.measure.unit] + cells)
        }
        let notes = notes()
        return notes.isEmpty ? lines : lines + [""] + notes.map { "* \($0)" }
    }

    /// `12.5 (2.3x, +1.4 F)`: figure, ratio to native, requests to the floor beyond native.
    private func markdownCell(_ result: WorkloadResult, _ label: String) -> String {
        let figure = cell(result.figure(of: label), 1)
        guard label != Self.baseline else { return figure }
        var details: [String] = []
        if let ratio = result.ratio(of: label, to: Self.baseline) { details.append("\(fixed(ratio, 2))x") }
        if let multiple = result.floorMultiple(of: label, beyond: Self.baseline) {
            details.append("\(multiple < 0 ? "" : "+")\(fixed(multiple, 1)) F")
        }
        return details.isEmpty ? figure : "\(figure) (\(details.joined(separator: ", ")))"
    }

    private static func markdownRow(_ cells: [String]) -> String {
        "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
    }
}
