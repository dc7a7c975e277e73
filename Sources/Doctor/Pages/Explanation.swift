/// What `doctor --explain` prints.
public enum Explanation {
    /// A line for each code: itself, how much it matters, its title.
    public static var list: [[String]] {
        FindingCode.allCases.map { [$0.rawValue, $0.severity.rawValue, $0.title] }
    }

    /// The page of a code, in lines.
    public static func page(of code: FindingCode) -> [String] {
        let page = code.page
        return ["\(code.rawValue) (\(page.severity.rawValue)): \(page.title)"]
            + paragraph("On a device", page.device) + paragraph("Why it breaks", page.why)
            + paragraph("How to mend it", page.fix) + paragraph("Source", page.source)
    }

    private static let columns = 80

    private static func paragraph(_ head: String, _ text: String) -> [String] {
        var lines = ["", head + ":"]
        var line = " "
        for word in text.split(separator: " ") {
            if line.count + word.count >= columns {
                lines.append(line)
                line = " "
            }
            line += " " + word
        }
        return lines + [line]
    }
}
