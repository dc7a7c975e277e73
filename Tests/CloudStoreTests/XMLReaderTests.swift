import Testing

@testable import CloudStore

@Suite struct XMLReaderTests {
    private func events(_ text: String) throws -> [XMLReader.Event] {
        var reader = XMLReader(Array(text.utf8))
        var events: [XMLReader.Event] = []
        while let event = try reader.next() { events.append(event) }
        return events
    }

    @Test func `Elements, their text and the five entities are read`() throws {
        let text =
            "<?xml version=\"1.0\"?><!-- > --><s:A x='>' y=\"/\"><B>&lt;&amp;&#65;&#x42;é</B><C/></s:A>"
        #expect(
            try events(text) == [
                .start("A"), .start("B"), .text("<&ABé"), .end("B"), .start("C"), .end("C"), .end("A"),
            ])
    }

    @Test(arguments: [
        "<A>", "<A></B>", "</A>", "<A", "<", "<>", "<A x=\">", "<!DOCTYPE A [<!ENTITY x \"y\">]><A>&x;</A>",
        "<A>&x;</A>", "<A>&#xD800;</A>", "<A>&#99999999999;</A>", "<A>&amp</A>", "<A>&",
        "<A><![CDATA[x]]></A>",
        "<!-- ", "<?xml", "<A></A/>", String(repeating: "<A>", count: 100_000),
        "<" + String(repeating: "A", count: 99),
    ])
    func `What S3 never sends is refused`(text: String) {
        #expect(throws: XMLReader.Malformed.self) { try events(text) }
    }

    @Test func `No bytes make it trap, and it always ends`() {
        let pieces: [[UInt8]] = [
            [0x3c], [0x3e], [0x2f], [0x26], [0x3b], [0x22], [0x41], [0xff], Array("&#x".utf8),
            Array("<!--".utf8),
        ]
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...20)).flatMap { _ in pieces.randomElement() ?? [] }
            var reader = XMLReader(bytes)
            var count = 0
            while (try? reader.next()) != nil { count += 1 }
            #expect(count <= 2 * bytes.count + 1)
        }
    }

    @Test func `A page of a listing is read; one with too much or too little in it is not`() throws {
        func page(_ contents: String) throws -> S3Page {
            try S3Page(
                Array("<ListBucketResult><IsTruncated>true</IsTruncated>\(contents)</ListBucketResult>".utf8))
        }
        let time = "<LastModified>2026-11-21T17:09:12.345Z</LastModified>"
        let one = "<Contents><Key>a&amp;b</Key>\(time)<Size>12</Size><ETag>x</ETag></Contents>"
        let read = try page(one)
        #expect(
            read.isTruncated && read.entries.map(\.key) == ["a&b"] && read.entries.map(\.sizeBytes) == [12])
        for bad in [
            "<Contents><Key>a</Key>\(time)</Contents>",
            "<Contents><Key>a</Key>\(time)<Size>-1</Size></Contents>",
            "<Contents><Key>a</Key><LastModified>x</LastModified><Size>1</Size></Contents>",
            String(repeating: one, count: 1001),
        ] {
            #expect(throws: XMLReader.Malformed.self) { try page(bad) }
        }
        #expect(throws: XMLReader.Malformed.self) { try S3Page(Array("<Error></Error>".utf8)) }
        #expect(throws: XMLReader.Malformed.self) { try S3Page([]) }
    }
}
