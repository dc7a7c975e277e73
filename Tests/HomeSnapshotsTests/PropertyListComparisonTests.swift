import Foundation
import Testing

@testable import HomeSnapshots

@Suite struct PropertyListComparisonTests {
    private func bytes(_ value: Any, _ format: PropertyListSerialization.PropertyListFormat) throws -> [UInt8]
    {
        Array(try PropertyListSerialization.data(fromPropertyList: value, format: format, options: 0))
    }

    /// Each change as `key: before -> after`.
    private func changes(_ old: Any, _ new: Any) throws -> [String]? {
        PropertyListComparison.changes(try bytes(old, .binary), try bytes(new, .xml))?.map {
            "\($0.key): \($0.value.before ?? "nothing") -> \($0.value.after ?? "nothing")"
        }
    }

    @Test func keysAreNamedAtAnyDepth() throws {
        let old: [String: Any] = ["a": 1, "b": ["c": ["x", "y"], "d": true], "gone": "g"]
        let new: [String: Any] = ["a": 2.5, "b": ["c": ["x", "z"], "d": true], "new": Data([1])]
        let expected = [
            "a: 1 -> 2.5", "b.c[1]: y -> z", "gone: g -> nothing",
            "new: nothing -> {length = 1, bytes = 0x01}",
        ]
        #expect(try changes(old, new) == expected)
        #expect(try changes(old, old) == [])
    }

    @Test func anElementThatIsInsertedIsOneChange() throws {
        #expect(try changes(["a": [1, 2, 3]], ["a": [1, 9, 2, 3]]) == ["a[1]: nothing -> 9"])
        #expect(try changes(["a": [1, 1]], ["a": [1]]) == ["a[1]: 1 -> nothing"])
        #expect(try changes([1], [Int]()) == ["[0]: 1 -> nothing"])
    }

    @Test func valuesThatLookAlikeAreShownWithTheirTypes() throws {
        #expect(try changes(["a": 1], ["a": "1"]) == ["a: 1 (integer) -> 1 (string)"])
        #expect(try changes(["a": true], ["a": 1]) == ["a: 1 (boolean) -> 1 (integer)"])
    }

    @Test func whatIsNoPropertyListIsNotCompared() throws {
        let list = try bytes(["a": 1], .binary)
        for other in [[], Array("bplist00".utf8), Array("<plist>".utf8), Array(list.dropLast())] {
            #expect(PropertyListComparison.changes(list, other) == nil)
        }
    }
}
