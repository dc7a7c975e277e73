import SandboxRules
import Testing

@Suite("Keys of names")
struct NameKeyTests {
    private func same(_ first: String, _ second: String, _ policy: NamePolicy) -> Bool {
        let keys = (policy.key(first), policy.key(second))
        let equal = keys.0 == keys.1
        #expect(!equal || keys.0.hashValue == keys.1.hashValue)
        return equal
    }

    @Test("Device: NFC and NFD of one name are one file")
    func normalisation() {
        #expect(same("café", "cafe\u{301}", .device))
        #expect(same("\u{AC00}", "\u{1100}\u{1161}", .device))
        #expect(same("a\u{323}\u{307}", "a\u{307}\u{323}", .device))
        #expect(same("\u{212B}", "A\u{30A}", .device))
        #expect(same("\u{212A}", "K", .device))
        #expect(!same("ﬁ", "fi", .device))
    }

    @Test("Device: case-sensitive")
    func caseSensitive() {
        #expect(!same("README.txt", "readme.txt", .device))
        #expect(!same("É", "é", .device))
    }

    @Test("Simulator: case- and normalisation-insensitive")
    func caseInsensitive() {
        #expect(same("README.txt", "readme.TXT", .simulator))
        #expect(same("CAFÉ", "cafe\u{301}", .simulator))
        #expect(same("Straße", "STRASSE", .simulator))
        #expect(same("STRA\u{1E9E}E", "straße", .simulator))
        #expect(same("ΣΊΣΥΦΟΣ", "σίσυφος", .simulator))
        #expect(same("\u{212A}it", "kit", .simulator))
        #expect(!same("résumé", "resume", .simulator))
        #expect(!same("ı", "i", .simulator))
        #expect(!same("ı\u{301}", "i\u{301}", .simulator))
        #expect(same("Aı\u{301}É", "aı\u{301}é", .simulator))
        #expect(!same("a-b", "a_b", .simulator))
    }

    @Test("Names that are one in the Simulator have one folded hash, others not")
    func foldedHashes() {
        func hash(_ name: String) -> UInt64 {
            var name = name
            return name.withUTF8 { NamePolicy.foldedHash(UnsafeRawBufferPointer($0)) }
        }
        let names = [
            "README.txt", "readme.TXT", "CAF\u{c9}", "cafe\u{301}", "Stra\u{df}e", "STRASSE", "\u{212a}it",
            "kit",
            "A;", "a\u{37e}", "x\u{1fef}", "X`", "\u{131}", "i", "resume", "r\u{e9}sum\u{e9}", "", "a-b",
            "a_b",
            String(repeating: "Long", count: 50), String(repeating: "lONG", count: 50),
        ]
        for first in names {
            for second in names {
                #expect(
                    (hash(first) == hash(second)) == same(first, second, .simulator), "\(first) \(second)")
            }
        }
    }

    @Test("Legacy: bytes as they are")
    func legacy() {
        #expect(same("café", "café", .legacy))
        #expect(!same("caf\u{E9}", "cafe\u{301}", .legacy))
        #expect(!same("a", "A", .legacy))
    }

    @Test("Names that are no text keep their own keys under every policy", arguments: NamePolicy.allCases)
    func notText(policy: NamePolicy) {
        let names: [[UInt8]] = [[0xff], [0xfe], [0xff, 0xfe], [0x61, 0xff], [0xef, 0xbf, 0xbd]]
        let keys = names.map { $0.withUnsafeBytes { policy.key($0) } }
        #expect(Set(keys).count == names.count)
    }

    @Test("Two names with one key: each says that it has other spellings", arguments: NamePolicy.allCases)
    func keysAndSpellingsAgree(policy: NamePolicy) {
        let letters: [Unicode.Scalar] = [
            "a", "A", "k", "K", "\u{212A}", ";", "\u{37E}", "`", "\u{1FEF}", "é", "e", "\u{301}", "ß", "s",
            "S", "\u{17F}", "\u{FB01}", "f", "i", "\u{131}", "\u{130}", "1", "-",
        ]
        var names: [NameKey: [String]] = [:]
        for first in letters {
            for second in letters {
                for third in letters {
                    var view = String.UnicodeScalarView()
                    view.append(contentsOf: [first, second, third])
                    names[policy.key(String(view)), default: []].append(String(view))
                }
            }
        }
        for group in names.values where group.count > 1 {
            for name in group where !name.withNameBytes({ policy.hasOtherSpellings($0) }) {
                Issue.record("\(name) is also \(group)")
            }
        }
        #expect((names.values.contains { $0.count > 1 }) == (policy != .legacy))
    }
}
