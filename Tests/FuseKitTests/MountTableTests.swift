import FuseKit
import Testing

@Suite struct MountTableTests {
    private let text = """
        22 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw
        90 22 0:57 / /home/u/my\\040notes rw,nosuid,nodev - fuse.apphome \
        apphome:ID:home:local.Notes rw,user_id=1000,group_id=1000
        91 90 0:58 / /home/u/my\\040notes/tab\\011back\\134slash ro,nosuid master:1 propagate_from:2 \
        - fuse.apphome apphome:ID:share:x ro,user_id=0
        92 22 0:59 / /home/u rw - tmpfs tmpfs rw
        not a mount line
        93 22 0:60 / /short rw -
        """

    @Test func octalEscapesAreDecoded() {
        let points = MountTable(text: text).entries.map(\.mountPoint)
        #expect(points == ["/", "/home/u/my notes", "/home/u/my notes/tab\tback\\slash", "/home/u"])
    }

    @Test func aLineGivesSourceTypeOwnerAndDevice() throws {
        let entry = try #require(MountTable(text: text).entry(at: "/home/u/my notes"))
        #expect(entry.source == "apphome:ID:home:local.Notes")
        #expect(entry.type == "fuse.apphome")
        #expect(entry.userID == 1000)
        #expect(entry.device == "0:57")
        #expect(entry.mountID == 90)
        #expect(!entry.isReadOnly)
    }

    @Test func optionalFieldsAreSteppedOver() throws {
        let entry = try #require(MountTable(text: text).entry(at: "/home/u/my notes/tab\tback\\slash"))
        #expect(entry.source == "apphome:ID:share:x")
        #expect(entry.isReadOnly)
    }

    @Test func aPathBelongsToTheInnermostMount() {
        let table = MountTable(text: text)
        #expect(table.entry(containing: "/home/u/my notes/Documents/a")?.mountID == 90)
        #expect(table.entry(containing: "/home/u/my notes2")?.mountID == 92)
        #expect(table.entry(containing: "/etc")?.mountID == 22)
    }

    @Test func aBackslashWithoutThreeOctalDigitsStays() {
        let line = "1 1 0:1 / /a\\9\\04 rw - t s rw"
        #expect(MountTable(text: line).entries.map(\.mountPoint) == ["/a\\9\\04"])
    }

    @Test func theTableOfThisProcessHasARoot() throws {
        #expect(try MountTable.current().entry(at: "/") != nil)
    }
}
