import CloudSync
import Glibc
import HomeTree
import TestKit
import Testing

@testable import SyncLog

/// What stays on this device, of a document or beside it (SPEC.md 7), and what does not come to watchers.
@Suite struct HomeDiskStayingTests {
    @Test func aSaveThroughATemporaryNameIsAChangeOfTheDocumentAlone() throws {
        let fixture = try HomeDiskFixture()
        let (saved, swap) = (fixture.documents + "/.goutputstream-K3J4R2", fixture.documents + "/.a.swp")
        try write("old", to: fixture.documents + "/a")
        for path in [saved, swap] { try write("new", to: path) }
        #expect(try fixture.item(".goutputstream-K3J4R2").exclusion == .name)
        _ = try fixture.changes()
        #expect(rename(saved, fixture.documents + "/a") == 0)
        #expect(try fixture.changes().paths.contains(LocalPath("a")))
        #expect(try fixture.item("a").exclusion == nil)
        #expect(try fixture.item(".a.swp").exclusion == .name)
    }

    @Test func anotherProgramsAttributesStayHereUntilAVersionOfAnotherDeviceTakesTheFilesPlace() throws {
        let fixture = try HomeDiskFixture()
        let path = fixture.documents + "/a"
        try write("old", to: path)
        #expect(setAttribute("user.note", [1], of: path) == nil)
        fixture.mounted.waitForLastRequest()
        let old = try fixture.item("a")
        #expect(old.attributes.extended.isEmpty)
        var attributes = old.attributes
        attributes.extended = [ExtendedAttribute(name: "com.apple.x", value: [7])]
        let told = try fixture.disk.setAttributes(LocalPath("a"), attributes, expecting: old.fingerprint)
        #expect(attribute("user.note", of: path) == [1] && attribute("com.apple.x", of: path) == [7])
        let watched = try WatchedFolder(fixture.documents)
        _ = try fixture.place("newer", at: "a", displacing: told, attributes: attributes)
        #expect(attribute("user.note", of: path) == nil && attribute("com.apple.x", of: path) == [7])
        // FUSE has no message that makes the kernel tell watchers of it.
        #expect(watched.changedNames() == [])
    }
}
