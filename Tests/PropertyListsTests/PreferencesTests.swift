import Foundation
import Testing

@testable import PropertyLists

/// Preferences as macOS's `defaults` reads and writes them.
struct PreferencesTests {
    @Test(arguments: [
        (["-int", "-5"], PreferenceValue.integer(-5)),
        (["-float", "0.5"], .real(0.5)),
        (["-bool", "YES"], .boolean(true)),
        (["-string", "-int"], .string("-int")),
        (["plain"], .string("plain")),
        (["-5"], .string("-5")),
        (["-data", "00ff"], .data([0, 255])),
        (["-date", "2001-01-01"], .date(978_307_200)),
        (["-date", "2001-01-01 00:00:00 +0000"], .date(978_307_200)),
        (["-array"], .array([])),
        (["-array", "a", "-int", "3", "-bool", "no"], .array([.string("a"), .integer(3), .boolean(false)])),
        (["-dict", "a", "-int", "1", "b", "c"], .dictionary(["a": .integer(1), "b": .string("c")])),
    ]) func wordsMakeAValueOfTheirType(_ words: [String], _ value: PreferenceValue) throws {
        #expect(try PreferenceValue(words: words) == value)
    }

    @Test(arguments: [
        [], ["-int", "x"], ["-int"], ["-bool", "maybe"], ["-data", "0"], ["-data", "zz"], ["-date", "soon"],
        ["a", "b"], ["-dict", "a"], ["-array", "-array", "a"], ["-number", "1"],
        ["-float", "nan"], ["-float", "1e400"],
    ]) func wordsThatMakeNoValueAreRefused(_ words: [String]) {
        #expect(throws: PropertyListError.self) { try PreferenceValue(words: words) }
    }

    @Test func otherKeysKeepTheirTypesAndValues() throws {
        let there: [String: Any] = [
            "real": 1.0, "integer": 1, "yes": true, "no": false, "large": UInt64.max,
            "date": Date(timeIntervalSince1970: 0), "data": Data([1]), "list": [1.0, true, 0] as [Any],
        ]
        var preferences = try Preferences(
            Array(try PropertyListSerialization.data(fromPropertyList: there, format: .xml, options: 0)))
        preferences.set(.integer(2), at: "new")
        let bytes = try preferences.bytes()
        #expect(bytes.starts(with: Array("bplist00".utf8)))
        let written = try Preferences(bytes)
        #expect(try written.value(at: "new") == .integer(2))
        #expect(try written.value(at: "real") == .real(1))
        #expect(try written.value(at: "integer") == .integer(1))
        #expect(try written.value(at: "yes") == .boolean(true))
        #expect(try written.value(at: "no") == .boolean(false))
        #expect(try written.value(at: "large") == .other("18446744073709551615"))
        #expect(try written.value(at: "date") == .date(0))
        #expect(try written.value(at: "data") == .data([1]))
        #expect(try written.value(at: "list") == .array([.real(1), .boolean(true), .integer(0)]))
    }

    @Test func anArchivesReferencesAreKept() throws {
        // {"a": UID 3}, as a keyed archive has it.
        let bytes: [UInt8] =
            Array("bplist00".utf8) + [0xD1, 1, 2, 0x51, 0x61, 0x80, 3, 8, 11, 13] + [0, 0, 0, 0, 0, 0, 1, 1]
            + [0, 0, 0, 0, 0, 0, 0, 3] + [0, 0, 0, 0, 0, 0, 0, 0] + [0, 0, 0, 0, 0, 0, 0, 15]
        var preferences = try Preferences(bytes)
        preferences.set(.string("c"), at: "b")
        let written = try preferences.bytes()
        #expect(written.indices.contains { written[$0...].starts(with: [0x80, 3]) })
        guard case .other = try Preferences(written).value(at: "a") else {
            Issue.record("the reference has become something else")
            return
        }
    }

    /// JSON, by which a value goes to who asked, has none of these.
    @Test func numbersThatAreNoneAreShownAndCarried() throws {
        let odd: [String: Any] = [
            "a": Double.infinity, "b": -Double.infinity, "c": Double.nan,
            "d": Date(timeIntervalSince1970: .nan),
        ]
        let bytes = try PropertyListSerialization.data(fromPropertyList: odd, format: .binary, options: 0)
        let value = try Preferences(Array(bytes)).all()
        let carried = try JSONDecoder().decode(PreferenceValue.self, from: try JSONEncoder().encode(value))
        #expect(carried == value && value.description.contains("inf;") == true)
    }

    @Test func aSetIsRefusedBeforeFoundationSeesIt() {
        // {"a": set of nothing}: Foundation ends the process where it is asked for its elements.
        let bytes: [UInt8] =
            Array("bplist00".utf8) + [0xD1, 1, 2, 0x51, 0x61, 0xC0, 8, 11, 13] + [0, 0, 0, 0, 0, 0, 1, 1]
            + [0, 0, 0, 0, 0, 0, 0, 3] + [0, 0, 0, 0, 0, 0, 0, 0] + [0, 0, 0, 0, 0, 0, 0, 14]
        #expect(throws: PropertyListError.self) { try Preferences(bytes) }
    }

    @Test func whatIsNestedTooDeepIsNotShownAndNotLost() throws {
        var deep: Any = 1
        for _ in 0..<100 { deep = [deep] }
        let bytes = try PropertyListSerialization.data(
            fromPropertyList: ["deep": deep], format: .binary, options: 0)
        var preferences = try Preferences(Array(bytes))
        #expect(throws: PropertyListError.self) { try preferences.value(at: "deep") }
        preferences.set(.integer(1), at: "other")
        #expect(throws: PropertyListError.self) {
            try Preferences(preferences.bytes()).value(at: "deep")
        }
    }

    @Test func valuesAreShownAsDefaultsShowsThem() {
        let value = PreferenceValue.dictionary([
            "b": .boolean(true), "a key": .array([.real(2), .string("two words"), .date(0)]),
            "d": .data([0, 255]),
        ])
        #expect(
            value.description == """
                {
                    "a key" = (
                        2,
                        "two words",
                        "1970-01-01 00:00:00 +0000"
                    );
                    b = 1;
                    d = {length = 2, bytes = 0x00ff};
                }
                """)
        #expect(PreferenceValue.string("two words").description == "two words")
    }
}
