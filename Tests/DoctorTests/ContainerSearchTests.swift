import Testing

@testable import Doctor

/// Finding the names of containers in bytes.
@Suite struct ContainerSearchTests {
    private let search = ContainerSearch(known: Patient.book.ids)

    private func matches(_ bytes: [UInt8], seen: Int = 0) -> [ContainerSearch.Match] {
        var found: [ContainerSearch.Match] = []
        bytes.withUnsafeBytes { bytes in
            search.run(over: bytes, seen: seen) { match in
                found.append(match)
                return true
            }
        }
        return found
    }

    private func utf16(_ text: String, isBigEndian: Bool) -> [UInt8] {
        text.utf16.flatMap { unit in
            let bytes = [UInt8(unit >> 8), UInt8(unit & 0xff)]
            return isBigEndian ? bytes : bytes.reversed()
        }
    }

    @Test func aKnownContainerIsFoundInEachEncodingAndInEitherCase() {
        for id in [Patient.current, Patient.former, Patient.current.lowercased()] {
            let text = "«\(id)»"
            let expected = ContainerID(id)
            #expect(matches(Array(text.utf8)).map(\.id) == [expected])
            for isBigEndian in [true, false] {
                // At an odd place, too.
                for lead in [[], [UInt8(ascii: "x")]] {
                    let found = matches(lead + utf16(text, isBigEndian: isBigEndian))
                    #expect(found.map(\.id) == [expected])
                    #expect(found.first?.encoding.name == "UTF-16")
                    // Of the second byte order, where the text is one in both.
                    let offset = 2 + lead.count - (isBigEndian ? 0 : 1)
                    #expect(found.first?.offset == offset)
                }
            }
        }
    }

    /// No byte beside it is zero.
    @Test func theOrderOfTheBytesIsToldWhereItCanBe() {
        for isBigEndian in [true, false] {
            let found = matches(utf16("中\(Patient.current)中", isBigEndian: isBigEndian))
            #expect(found.map(\.encoding) == [isBigEndian ? .utf16BigEndian : .utf16LittleEndian])
            #expect(found.map(\.offset) == [2])
        }
    }

    @Test func anUnknownOneIsFoundOnlyInAPathAsIOSMakesIt() {
        let uuid = Patient.foreign
        #expect(matches(Array(uuid.utf8)) == [])
        #expect(matches(Array("/Documents/\(uuid)/x".utf8)) == [])
        let paths = [
            "/private/var/mobile/Containers/Data/Application/\(uuid)/Documents",
            "file:///var/containers/Bundle/Application/\(uuid)/A.app".replacing("var/c", with: "var/C"),
            "/var/mobile/Containers/Shared/AppGroup/\(uuid)", "/var/mobile/Applications/\(uuid)/Documents",
            #"{"p":"\/var\/mobile\/Containers\/Data\/Application\/\#(uuid)\/a"}"#,
        ]
        for path in paths {
            #expect(matches(Array(path.utf8)).map(\.id.text) == [uuid], "\(path)")
            #expect(matches(utf16(path, isBigEndian: true)).map(\.id.text) == [uuid], "\(path)")
        }
        #expect(matches(Array(paths[0].dropFirst(12).replacing("Data", with: "Date").utf8)) == [])
    }

    @Test func whatIsNearlyOneIsNone() {
        let id = Patient.current
        for text in [
            String(id.dropLast()), String(id.dropFirst()), id.replacing("-", with: "_"),
            String(id.prefix(10)) + String(id.dropFirst(10)).replacing("-", with: "_"),
            id.replacing("0", with: "g"), String(repeating: "-", count: 100),
        ] {
            #expect(matches(Array(text.utf8)) == [], "\(text)")
        }
        #expect(matches([]) == [])
    }

    @Test func pieceByPieceEachIsToldOnceWhereverTheBlocksEnd() {
        let text = "é" + Patient.current + " and " + Patient.former
        for bytes in [Array(text.utf8), utf16(text, isBigEndian: false), utf16(text, isBigEndian: true)] {
            for cut in 0...bytes.count {
                let (first, kept) = (Array(bytes[..<cut]), min(cut, ContainerSearch.overlapBytes))
                let second = Array(bytes[(cut - kept)...])
                let found = matches(first) + matches(second, seen: kept)
                #expect(found.map(\.id.text) == [Patient.current, Patient.former], "cut at \(cut)")
            }
        }
    }

    @Test func ofAUUIDThatIsCutAnywhereAPieceIsLeft() {
        for bytes in [Array(Patient.current.utf8), utf16(Patient.current, isBigEndian: false)] {
            for cut in 0...bytes.count {
                let parts = [bytes[..<cut], bytes[cut...]].map { part in
                    Array(part).withUnsafeBytes { ContainerSearch.hasPiece($0) }
                }
                #expect(parts.contains(true), "cut at \(cut)")
            }
        }
        #expect(
            !Array("2026-11-26, a-b-c, --x-- 12-3456".utf8).withUnsafeBytes { ContainerSearch.hasPiece($0) })
    }

    @Test func anIDIsReadAndWrittenTheSame() throws {
        #expect(try #require(ContainerID(Patient.current.lowercased())).text == Patient.current)
        #expect(ContainerID("") == nil && ContainerID(Patient.current + "0") == nil)
    }
}
