import Foundation
import PropertyLists
import Testing

@Suite struct KeyValueBytesTests {
    @Test func whatIsEncodedIsReadAgain() throws {
        let values: [PreferenceValue] = [
            .string(""), .string("plain"), .string("\u{1F600} \u{E4}"), .boolean(true), .integer(-7),
            .real(0.5),
            .date(1_000), .data([0, 255]), .array([.string("a"), .integer(1)]),
            .dictionary(["k": .boolean(false)]),
        ]
        for value in values { #expect(try KeyValueBytes.decode(KeyValueBytes.encode(value)) == value) }
        #expect(throws: PropertyListError.self) { try KeyValueBytes.encode(.other("a UID")) }
    }

    @Test func aStringAndDataCountTheirBytesAndTheRestItsPropertyList() throws {
        for count in [0, 1, 14, 15, 16, 255, 256, 70_000] {
            let text = String(repeating: "x", count: count)
            #expect(KeyValueBytes.sizeBytes(of: try KeyValueBytes.encode(.string(text))) == count)
            let data = [UInt8](repeating: 7, count: count)
            #expect(KeyValueBytes.sizeBytes(of: try KeyValueBytes.encode(.data(data))) == count)
        }
        for text in ["\u{E4}", "\u{1F600}", "a\u{20AC}"] {
            let bytes = try KeyValueBytes.encode(.string(text))
            #expect(KeyValueBytes.sizeBytes(of: bytes) == text.utf8.count)
        }
        let list = try KeyValueBytes.encode(.array([.integer(1)]))
        #expect(KeyValueBytes.sizeBytes(of: list) == list.count)
        #expect(KeyValueBytes.sizeBytes(of: [1, 2, 3]) == 3)
    }

    /// Another device may have said anything.
    @Test func whatIsNoPropertyListIsRefusedAndLeftOutOfTheFile() throws {
        for bytes in [[], Array("bplist00".utf8), Array("text".utf8)] as [[UInt8]] {
            #expect(throws: PropertyListError.self) { try KeyValueBytes.decode(bytes) }
        }
        let good = try KeyValueBytes.encode(.integer(5))
        let file = try KeyValueBytes.propertyList(["good": good, "bad": Array("text".utf8)])
        let read = try PropertyListSerialization.propertyList(from: Data(file), format: nil)
        #expect(read as? [String: Int] == ["good": 5])
    }
}
