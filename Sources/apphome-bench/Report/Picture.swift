import Glibc

/// Ratios as bars, in SVG: a group for each workload, a bar for each file system, to the right of the line of
/// native where it is slower, to the left where it is faster.
struct Picture {
    struct Group {
        let name: String
        /// In the order of `labels`; nil where nothing was measured.
        let ratios: [Double?]
    }

    let caption: String
    /// The file systems, in the order of their bars.
    let labels: [String]
    let groups: [Group]

    /// The axis goes from half to this many times native; longer bars are cut, and say their figure.
    static let longestRatio = 64.0
    private static let shortestRatio = 0.5

    private static let barHeight = 8
    private static let groupGap = 8
    private static let columnWidth = 560
    private static let nameWidth = 150
    private static let axisWidth = 350
    private static let headHeight = 66

    /// Mid tones: they stand out from a light and from a dark ground.
    private static let colours = [
        "#2f81f7", "#e8803a", "#3fa653", "#a371f7", "#e5534b", "#1fa7a0", "#b08c3e", "#d669a6", "#8a8f98",
    ]

    /// The picture's text.
    func svg() -> String {
        let columns = columns()
        let groupHeight = labels.count * Self.barHeight + Self.groupGap
        let width = max(1, columns.count) * Self.columnWidth
        let height = Self.headHeight + (columns.first?.count ?? 0) * groupHeight + 12
        var parts = [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(width) \(height)\" width=\"\(width)\" "
                + "height=\"\(height)\" role=\"img\">",
            "<title>\(Self.escaped(caption))</title>", style(),
            "<rect class=\"ground\" width=\"\(width)\" height=\"\(height)\" rx=\"6\"/>",
            "<text class=\"caption\" x=\"14\" y=\"22\">\(Self.escaped(caption))</text>",
        ]
        parts += legend()
        for (index, column) in columns.enumerated() {
            let left = index * Self.columnWidth
            parts += axis(left: left, height: column.count * groupHeight)
            for (row, group) in column.enumerated() {
                parts += bars(of: group, left: left, top: Self.headHeight + row * groupHeight)
            }
        }
        return (parts + ["</svg>", ""]).joined(separator: "\n")
    }

    /// Two columns where one would be long.
    private func columns() -> [ArraySlice<Group>] {
        guard groups.count > 8 else { return groups.isEmpty ? [] : [groups[...]] }
        let middle = (groups.count + 1) / 2
        return [groups[..<middle], groups[middle...]]
    }

    /// The ground is the picture's own, so that it is read alike on any page; it follows the reader's choice
    /// of light or dark.
    private func style() -> String {
        let fills = labels.indices.map { index in
            ".s\(index){fill:\(Self.colours[index % Self.colours.count])}"
        }
        return """
            <style>text{font:10px system-ui,sans-serif;fill:#1f2328}.caption{font-size:13px;font-weight:600}\
            .value{font-size:8px;fill:#59636e}.ground{fill:#fff}.line{stroke:#d1d9e0}.native{stroke:#59636e}\
            \(fills.joined())\
            @media(prefers-color-scheme:dark){text{fill:#e6edf3}.value{fill:#9198a1}.ground{fill:#0d1117}\
            .line{stroke:#30363d}.native{stroke:#9198a1}}</style>
            """
    }

    private func legend() -> [String] {
        var left = 14
        return labels.enumerated().flatMap { index, label in
            defer { left += 30 + label.count * 6 }
            return [
                "<rect class=\"s\(index)\" x=\"\(left)\" y=\"33\" width=\"10\" height=\"10\"/>",
                "<text x=\"\(left + 14)\" y=\"42\">\(Self.escaped(label))</text>",
            ]
        }
    }

    private func axis(left: Int, height: Int) -> [String] {
        [0.5, 1, 2, 4, 8, 16, 32, 64].flatMap { ratio in
            let x = Self.position(ratio, left: left)
            let top = Self.headHeight - 4
            return [
                "<line class=\"\(ratio == 1 ? "native" : "line")\" x1=\"\(x)\" x2=\"\(x)\" y1=\"\(top)\" "
                    + "y2=\"\(top + height)\"/>",
                "<text class=\"value\" text-anchor=\"middle\" x=\"\(x)\" y=\"\(top - 3)\">"
                    + "\(fixed(ratio, ratio < 1 ? 1 : 0))</text>",
            ]
        }
    }

    private func bars(of group: Group, left: Int, top: Int) -> [String] {
        let middle = top + labels.count * Self.barHeight / 2 + 3
        let name =
            "<text text-anchor=\"end\" x=\"\(left + Self.nameWidth)\" y=\"\(middle)\">"
            + "\(Self.escaped(group.name))</text>"
        return [name]
            + group.ratios.enumerated().map { index, ratio in
                bar(ratio, series: index, left: left, top: top + index * Self.barHeight)
            }
    }

    private func bar(_ ratio: Double?, series: Int, left: Int, top: Int) -> String {
        let native = Self.position(1, left: left)
        guard let ratio, ratio > 0, ratio.isFinite else {
            return "<text class=\"value\" x=\"\(native + 3)\" y=\"\(top + 7)\">\(Report.nothing)</text>"
        }
        let end = Self.position(ratio, left: left)
        let start = min(native, end)
        let width = max(1, abs(end - native))
        let text = fixed(ratio, ratio < 10 ? 2 : 0)
        return "<rect class=\"s\(series)\" x=\"\(start)\" y=\"\(top)\" width=\"\(width)\" height=\"7\"/>"
            + "<text class=\"value\" x=\"\(max(native, end) + 3)\" y=\"\(top + 7)\">\(text)</text>"
    }

    /// Where a ratio lies on the logarithmic axis.
    static func position(_ ratio: Double, left: Int) -> Int {
        let bounded = min(max(ratio, shortestRatio), longestRatio)
        let octaves = log2(longestRatio / shortestRatio)
        let share = log2(bounded / shortestRatio) / octaves
        return left + nameWidth + 8 + Int((share * Double(axisWidth)).rounded())
    }

    static func escaped(_ text: String) -> String {
        // Control characters have no place in XML, not even escaped.
        let visible = String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value >= 0x20 }))
        return visible.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            .replacing(">", with: "&gt;").replacing("\"", with: "&quot;")
    }
}
