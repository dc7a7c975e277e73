import HomeTree
import Posix
import SystemPackage
import TestKit
import Testing

/// `com.apple.ubiquity.status`: answered, not listed, and nobody's to set.
@Suite struct CloudStatusTests {
    private final class Source: CloudStatusSource {
        func cloudStatus(of path: [[UInt8]]) -> String? {
            let names = path.map { String(decoding: $0, as: UTF8.self) }
            return names == ["d", "f"] ? "uploading" : nil
        }
    }

    private static let name = "com.apple.ubiquity.status"

    @Test func theStateIsAnsweredForWhatItsSourceKnowsAndIsNotListed() throws {
        let mounted = try MountedHome()
        let path = mounted.documents + "/d/f"
        mkdirAll(mounted.documents + "/d")
        try write("x", to: path)
        #expect(attribute(Self.name, of: path) == nil)
        mounted.tree.setCloudStatusSource(Source())
        #expect(attribute(Self.name, of: path) == Array("uploading".utf8))
        #expect(attribute("user." + Self.name, of: path) == Array("uploading".utf8))
        #expect(attribute(Self.name, of: mounted.documents + "/d") == nil)
        #expect(attribute(Self.name, of: mounted.documents) == nil)
        #expect(attribute(Self.name, of: mounted.home + "/tmp") == nil)
        #expect(attributeNames(of: path) == [])
        #expect(setAttribute(Self.name, [1], of: path) == .notPermitted)
        #expect(removeAttribute(Self.name, of: path) == .notPermitted)
        #expect(setAttribute("user." + Self.name, [1], of: path) == .notPermitted)
    }

    private func mkdirAll(_ path: String) { run("/bin/mkdir", "-p", path) }
}
