import CloudSync
import Glibc
import HomeTree
import TestKit
import Testing

/// Where names form a circle sync puts an item aside for a moment, and nobody is shown it (SYNC.md 3).
@Suite struct HomeDiskParkingTests {
    @Test func whatIsParkedIsSeenThroughNoMountAndThereAfterAKill() throws {
        let fixture = try HomeDiskFixture()
        let (home, documents) = (fixture.mounted.home, fixture.documents)
        for name in ["/d", "/empty"] { mkdir(documents + name, 0o755) }
        try write("x", to: documents + "/d/f")
        try fixture.mounted.waitUntilQuiet()
        let all = try names(in: home)
        for (name, parked) in [("d", "/ab"), ("empty", "/cd")] {
            let found = try fixture.item(name).fingerprint
            let moved = try fixture.disk.move(LocalPath(name), to: LocalPath([parked]), expecting: found)
            #expect(moved.isSameInode(as: found))
        }
        #expect(try names(in: documents) == ["Inbox"])
        #expect(try names(in: home) == all)
        for name in ["ab", "sync-parked-ab", ".staging", "../.staging/sync-parked-ab"] {
            #expect(access(documents + "/" + name, F_OK) == -1 && errno == ENOENT)
        }
        // The next process.
        try fixture.mounted.tree.emptyStaging()
        let disk = try HomeDisk(tree: fixture.mounted.tree, clock: fixture.clock, wake: {})
        #expect(try disk.takeDisplaced() == [])
        #expect(try disk.list(LocalPath()).map(\.path.names) == [["Inbox"]])
        #expect(try disk.list(LocalPath(["/ab"])).map(\.path.names) == [["/ab", "f"]])
        for (name, parked) in [("d", "/ab"), ("e", "/cd")] {
            let item = try #require(try disk.look(at: LocalPath([parked])))
            #expect(item.kind == .directory && item.exclusion == nil)
            _ = try disk.move(item.path, to: LocalPath(name), expecting: item.fingerprint)
        }
        #expect(try contents(of: documents + "/d/f") == "x")
        #expect(try names(in: documents) == ["Inbox", "d", "e"])
        #expect(try fixture.staged() == [])
    }
}
