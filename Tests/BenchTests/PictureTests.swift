import Foundation
import FoundationXML
import Testing

@testable import apphome_bench

/// What an XML parser finds in a picture.
private final class Elements: NSObject, XMLParserDelegate {
    private(set) var found: [(name: String, attributes: [String: String])] = []
    private(set) var text = ""

    /// nil where the text is not well-formed.
    init?(_ picture: String) {
        super.init()
        let parser = XMLParser(data: Data(picture.utf8))
        parser.delegate = self
        if !parser.parse() { return nil }
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
        qualifiedName: String?, attributes: [String: String]
    ) { found.append((name, attributes)) }

    func parser(_ parser: XMLParser, foundCharacters characters: String) { text += characters }

    /// The lengths of the bars of one file system, without its mark in the legend.
    func widths(_ series: String) -> [Int] {
        found.filter { $0.name == "rect" && $0.attributes["class"] == series }.dropFirst()
            .compactMap { $0.attributes["width"].flatMap { Int($0) } }
    }
}

@Suite struct PictureTests {
    private func picture(_ groups: [Picture.Group], labels: [String] = ["a", "b"]) -> Picture {
        Picture(caption: "Ratios", labels: labels, groups: groups)
    }

    @Test func `It is XML whatever the names hold`() throws {
        let group = Picture.Group(name: "a<b & \"c\"\u{1}", ratios: [1, 2])
        let svg = picture([group], labels: ["x&y", "<z>"]).svg()
        let elements = try #require(Elements(svg))
        #expect(elements.text.contains("a<b & \"c\""))
        #expect(elements.text.contains("x&y") && elements.text.contains("<z>"))
        // The parser is one that can refuse.
        #expect(Elements(svg.replacing("&amp;", with: "&")) == nil)
    }

    @Test func `A longer ratio is a longer bar, and what was not measured is none`() throws {
        let groups = [1.0, 2, 4, 0.5, 1_000].map { Picture.Group(name: "w", ratios: [$0, nil]) }
        let elements = try #require(Elements(picture(groups).svg()))
        let widths = elements.widths("s0")
        #expect(widths.count == 5)
        #expect(widths[0] == 1)
        #expect(abs(widths[1] * 2 - widths[2]) <= 1, "the axis is logarithmic")
        #expect(widths[3] == widths[1], "half lies as far to the left as double to the right")
        #expect(widths[4] == Picture.position(Picture.longestRatio, left: 0) - Picture.position(1, left: 0))
        #expect(elements.text.contains("1000"), "a bar that is cut says its figure")
        #expect(elements.widths("s1") == [])
    }

    @Test func `Nothing lies outside of it, and it stays under 60 KB with nine file systems`() throws {
        let labels = (0..<9).map { "file system \($0)" }
        let groups = Workload.all.map { workload in
            Picture.Group(name: workload.name, ratios: labels.indices.map { pow(2, Double($0) - 1) })
        }
        let svg = picture(groups, labels: labels).svg()
        #expect(svg.utf8.count < 60 << 10)
        let elements = try #require(Elements(svg))
        let root = try #require(elements.found.first)
        #expect(root.name == "svg" && root.attributes["xmlns"] == "http://www.w3.org/2000/svg")
        let height = try #require(Int(root.attributes["height"] ?? ""))
        let width = try #require(Int(root.attributes["width"] ?? ""))
        for (_, attributes) in elements.found {
            if let x = attributes["x"] { #expect((0..<width).contains(try #require(Int(x)))) }
            if let y = attributes["y"] { #expect((0..<height).contains(try #require(Int(y)))) }
        }
        #expect(
            Set(elements.found.compactMap { $0.attributes["class"] }.filter { $0.hasPrefix("s") }).count == 9)
    }

    @Test func `It shows the ratios to native of one pinning`() throws {
        let options = try Options(arguments: ["native=/n", "b=/b"])
        let results = [true, false].map { isPinned in
            WorkloadResult(
                workload: .rename, isPinned: isPinned, unitCount: 1,
                series: [
                    Series(directory: "native", samplesSeconds: [1]),
                    Series(directory: "b", samplesSeconds: [isPinned ? 3 : 5]),
                ])
        }
        let picture = try #require(Report(options: options, results: results, failures: []).picture())
        #expect(picture.labels == ["b"])
        #expect(picture.groups.map(\.ratios) == [[5]])
    }
}
