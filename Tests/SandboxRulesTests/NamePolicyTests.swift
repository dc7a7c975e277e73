import SandboxRules
import Testing

@Suite("Names")
struct NamePolicyTests {
    private func problem(_ name: String, _ policy: NamePolicy = .device) -> NameProblem? {
        name.withNameBytes { policy.problem(with: $0) }
    }

    private func problem(_ bytes: [UInt8], _ policy: NamePolicy = .device) -> NameProblem? {
        bytes.withUnsafeBytes { policy.problem(with: $0) }
    }

    @Test("Invalid UTF-8 is refused, save under legacy")
    func invalidUTF8() {
        #expect(problem([0xff, 0xfe]) == .notUTF8)
        #expect(problem([0xff, 0xfe], .simulator) == .notUTF8)
        #expect(problem([0xff, 0xfe], .legacy) == nil)
        #expect(problem([0xed, 0xa0, 0x80]) == .notUTF8)
        #expect(problem([0xc0, 0xaf]) == .notUTF8)
        #expect(problem(Array("abcdefgh".utf8) + [0xc3]) == .notUTF8)
    }

    @Test("255 UTF-16 units are a name, 256 are too long, save under legacy")
    func length() {
        for unit in ["a", "é", "語"] {
            #expect(problem(String(repeating: unit, count: 255)) == nil)
            #expect(problem(String(repeating: unit, count: 256)) == .tooLong)
            #expect(problem(String(repeating: unit, count: 256), .simulator) == .tooLong)
            #expect(problem(String(repeating: unit, count: 256), .legacy) == nil)
        }
        // Outside the basic plane a scalar is two units.
        #expect(problem(String(repeating: "😀", count: 127) + "a") == nil)
        #expect(problem(String(repeating: "😀", count: 128)) == .tooLong)
    }

    @Test("The check agrees with the standard library on any bytes")
    func agreesWithStandardLibrary() {
        var generator = SeededGenerator(seed: 2)
        var seen: [String: Int] = [:]
        for _ in 0..<20_000 {
            let bytes = Self.randomName(&generator)
            let expected: NameProblem? =
                if let text = String(validating: bytes, as: UTF8.self) {
                    text.utf16.count > 255 ? .tooLong : nil
                } else {
                    .notUTF8
                }
            #expect(problem(bytes) == expected, "\(bytes)")
            seen["\(String(describing: expected))", default: 0] += 1
        }
        #expect(seen.count == 3 && seen.values.allSatisfy { $0 > 200 }, "\(seen)")
    }

    @Test(
        "The check agrees with the standard library on every sequence of two bytes, and of three at the edges"
    )
    func agreesOnShortSequences() {
        for first in UInt8.min...UInt8.max {
            for second in UInt8.min...UInt8.max {
                for rest: [UInt8] in [[], [0x80], [0xbf, 0xbf], [0x80, 0x7f], [0xc0]] {
                    let bytes = [first, second] + rest
                    let valid = String(validating: bytes, as: UTF8.self) != nil
                    if (problem(bytes) == nil) != valid { Issue.record("\(bytes)") }
                }
            }
        }
    }

    /// Text of every width, sometimes damaged by one byte.
    private static func randomName(_ generator: inout SeededGenerator) -> [UInt8] {
        var text = String.UnicodeScalarView()
        let highest: UInt32 = [0x7f, 0x7ff, 0xffff, 0x10ffff].randomElement(using: &generator) ?? 0x7f
        for _ in 0..<Int.random(in: 0...400, using: &generator) {
            guard let scalar = Unicode.Scalar(UInt32.random(in: 1...highest, using: &generator)) else {
                continue
            }
            text.append(scalar)
        }
        var bytes = Array(String(text).utf8)
        if !bytes.isEmpty, Bool.random(using: &generator) {
            bytes[Int.random(in: bytes.indices, using: &generator)] = .random(in: 0...255, using: &generator)
        }
        return bytes
    }
}

@Suite("Spellings of a name")
struct NameSpellingTests {
    private func others(_ name: String, _ policy: NamePolicy) -> Bool {
        name.withNameBytes { policy.hasOtherSpellings($0) }
    }

    @Test("On a device a name of pure ASCII has one spelling, but for K ; and the backtick")
    func device() {
        for name in ["Recipes.plist", "a", "", "0123456789 ()[]{}", "k", String(repeating: "x", count: 200)] {
            #expect(!others(name, .device))
        }
        for name in ["Kit", "README.K", "a;b", "0123456789`", "café", "cafe\u{301}", "語", "\u{212A}"] {
            #expect(others(name, .device))
        }
    }

    @Test("In the simulator every name with a letter has other spellings, in legacy none has")
    func simulatorAndLegacy() {
        for name in ["a", "Z", "2024-é", "1;", "`"] { #expect(others(name, .simulator)) }
        for name in ["2024-01-31", "", "@[{"] { #expect(!others(name, .simulator)) }
        for name in ["a", "K", "é"] { #expect(!others(name, .legacy)) }
    }

    @Test(
        "No scalar outside ASCII is a spelling of ASCII but the three; every name that has a spelling says so"
    )
    func exhaustive() {
        var ascii: Set<String> = []
        for value in UInt8(1)...0x7f { ascii.insert(String(Unicode.Scalar(value))) }
        var found: [UInt32] = []
        for value in UInt32(0x80)...0x10ffff {
            guard let scalar = Unicode.Scalar(value) else { continue }
            if ascii.contains(String(scalar)) { found.append(value) }
        }
        #expect(found == [0x37e, 0x1fef, 0x212a])
    }

    @Test("The kernel may remember ASCII names on a device, all in legacy, none in the simulator")
    func kernelCache() {
        func may(_ name: String, _ policy: NamePolicy) -> [Bool] {
            name.withNameBytes { [policy.kernelMayCache($0), policy.kernelMayCacheAbsence($0)] }
        }
        #expect(may("notes.txt", .device) == [true, true])
        for name in ["Kit", "a;b", "a`b"] { #expect(may(name, .device) == [true, false]) }
        for name in ["café", "cafe\u{301}", "\u{212A}it"] { #expect(may(name, .device) == [false, false]) }
        for name in ["notes.txt", "Kit", "café", "123"] {
            #expect(may(name, .simulator) == [false, false])
            #expect(may(name, .legacy) == [true, true])
        }
    }
}
