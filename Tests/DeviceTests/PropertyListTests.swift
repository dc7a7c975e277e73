import Foundation
import SandboxRules
import Testing

@testable import PropertyLists

@Suite struct PropertyListTests {
    @Test func bothFormatsAreRead() throws {
        let values: [String: Any] = ["a": 1, "b": ["c", "d"], "e": ["f": Data([1])], "g": true, "h": "ü"]
        for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
            let bytes = try PropertyListSerialization.data(
                fromPropertyList: values, format: format, options: 0)
            let read = try PropertyList.dictionary(Array(bytes))
            #expect(read as NSDictionary == values as NSDictionary)
        }
    }

    @Test func largeBinaryListsOfEverySizeOfReferenceAreRead() throws {
        for count in [10, 300, 70_000] {
            let values = ["list": (0..<count).map { "item \($0)" }]
            let bytes = try PropertyListSerialization.data(
                fromPropertyList: values, format: .binary, options: 0)
            #expect(try PropertyList.dictionary(Array(bytes))["list"] as? [String] == values["list"])
        }
    }

    /// Seven levels of arrays with fourteen references each to the level below: 150 bytes, 100 million
    /// values.
    @Test(.timeLimit(.minutes(1))) func aBinaryListThatUnfoldsWithoutEndIsRefused() {
        #expect(throws: PropertyListError.self) { try PropertyList.dictionary(bomb(levels: 7, fan: 14)) }
        #expect(throws: PropertyListError.self) { try PropertyList.dictionary(bomb(levels: 60, fan: 14)) }
        #expect(throws: Never.self) { try PropertyList.dictionary(bomb(levels: 3, fan: 14)) }
    }

    @Test func aBinaryListInACircleIsRefused() {
        let circle = binary([[0xD1, 1, 2], [0x51, 0x41], [0xA1, 2]])
        #expect(throws: PropertyListError.self) { try PropertyList.dictionary(circle) }
    }

    @Test func aBinaryListNestedTooDeepIsRefused() {
        let deep = (0..<200).map { [0xA1, UInt8($0 + 3)] }
        #expect(throws: PropertyListError.self) {
            try PropertyList.dictionary(binary([[0xD1, 1, 2], [0x51, 0x41]] + deep + [[0x51, 0x42]]))
        }
    }

    @Test func noChangedByteIsMoreThanARefusal() throws {
        let values: [String: Any] = [
            "a": [1, 2, "three"], "b": String(repeating: "x", count: 40), "c": Data([1, 2]),
        ]
        let bytes = Array(
            try PropertyListSerialization.data(fromPropertyList: values, format: .binary, options: 0))
        for place in bytes.indices {
            for value: UInt8 in [0, 1, 0x0F, 0x5F, 0xA1, 0xAF, 0xDF, 0xFF] {
                var changed = bytes
                changed[place] = value
                _ = try? PropertyList.dictionary(changed)
                _ = try? PropertyList.dictionary(Array(changed.prefix(place)))
            }
        }
    }

    @Test func tooManyBytesAreRefusedUnread() {
        let bytes = [UInt8](repeating: 0x20, count: PropertyList.sizeLimitBytes + 1)
        #expect(throws: PropertyListError("larger than 16 MB")) { try PropertyList.dictionary(bytes) }
    }

    @Test func sharingIsOnOnlyWhereTheKeysAreTrue() throws {
        func sharing(_ more: [String: Any]) throws -> SharingKeys {
            try InfoPlist(try plistBytes(more.merging(["CFBundleIdentifier": "a.b"]) { $1 })).sharing
        }
        #expect(try sharing([:]) == SharingKeys(itunes: false, files: false))
        #expect(try sharing(["UIFileSharingEnabled": true]) == SharingKeys(itunes: true, files: false))
        #expect(try sharing(["UIFileSharingEnabled": false]) == SharingKeys(itunes: false, files: false))
        #expect(try sharing(["UIFileSharingEnabled": "YES"]) == SharingKeys(itunes: false, files: false))
        #expect(
            try sharing(["LSSupportsOpeningDocumentsInPlace": true])
                == SharingKeys(itunes: false, files: true))
        let browser = try sharing(["UISupportsDocumentBrowser": true])
        #expect(browser == SharingKeys(itunes: false, opensInPlace: false, documentBrowser: true))
        #expect(browser.files)
    }

    @Test func entitlementsOfTheWrongTypeAreRefused() throws {
        for bad: Any in [1, ["a": "b"], [1, 2], ["ok", 1]] as [Any] {
            let bytes = try plistBytes(["com.apple.security.application-groups": bad])
            #expect(throws: PropertyListError.self) { try Entitlements(bytes) }
        }
        let twice = try Entitlements(try entitlementsPlist(groups: ["group.a", "group.a"]))
        #expect(twice.groups.map(\.value) == ["group.a"])
    }

    @Test func aProfileWithoutAPropertyListIsRefused() throws {
        #expect(throws: PropertyListError.self) { try Entitlements.propertyList(profile: []) }
        #expect(throws: PropertyListError.self) {
            try Entitlements.propertyList(profile: Array("</plist><?xml".utf8))
        }
        #expect(try Entitlements.propertyList(profile: plistBytes(["Name": "x"])) == nil)
    }

    private func bomb(levels: Int, fan: UInt8) -> [UInt8] {
        let arrays = (0..<levels).map { [0xA0 | fan] + [UInt8](repeating: UInt8($0 + 3), count: Int(fan)) }
        return binary([[0xD1, 1, 2], [0x51, 0x41]] + arrays + [[0x51, 0x42]])
    }

    /// A binary property list of these objects; the first is the top, references have one byte.
    private func binary(_ objects: [[UInt8]]) -> [UInt8] {
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for object in objects {
            offsets += [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)]
            bytes += object
        }
        let table = bytes.count
        func long(_ value: Int) -> [UInt8] {
            (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) }
        }
        return bytes + offsets + [0, 0, 0, 0, 0, 0, 2, 1] + long(objects.count) + long(0) + long(table)
    }
}
