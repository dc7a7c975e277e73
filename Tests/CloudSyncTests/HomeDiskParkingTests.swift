import CloudSync
import Glibc
import HomeFiles
import HomeTree
import TestKit
import Testing

@testable import SyncContent

/// Where names form a circle sync puts an item aside for a moment, and nobody is shown it (SYNC.md 3).
@Suite struct HomeDiskParkingTests: ~Copyable {
    private let fixture: HomeDiskFixture
    private var documents: String { fixture.documents }

    init() throws {
        let fixture = try HomeDiskFixture()
        for name in ["/d", "/empty"] { mkdir(fixture.documents + name, 0o755) }
        try write("x", to: fixture.documents + "/d/f")
        try write("db", to: fixture.documents + "/d/x.db-wal")
        symlink("f", fixture.documents + "/d/l")
        fixture.mounted.waitForLastRequest()
        self.fixture = fixture
    }

    @discardableResult
    private func move(_ path: LocalPath, to destination: LocalPath) throws -> LocalItem {
        let item = try #require(try fixture.disk.look(at: path))
        let moved = try fixture.disk.move(path, to: destination, in: nil, expecting: item.fingerprint)
        #expect(moved.isSameInode(as: item.fingerprint))
        return item
    }

    private func nextProcess() throws -> HomeDisk {
        try fixture.mounted.tree.emptyStaging()
        return try HomeDisk(tree: fixture.mounted.tree, clock: fixture.clock)
    }

    @Test func whatIsParkedIsSeenThroughNoMountAndGoesOnFromThere() throws {
        let all = try names(in: fixture.mounted.home)
        for (path, parked): (LocalPath, _) in [
            ("d/f", "/1"), ("d/l", "/2"), ("d/x.db-wal", "/3"), ("d", "/ab"),
        ] {
            try move(path, to: LocalPath([parked]))
        }
        #expect(try names(in: documents) == ["Inbox", "empty"])
        #expect(try names(in: fixture.mounted.home) == all)
        for name in ["ab", "sync-parked-ab", "../ab", "../sync-parked-ab", "../staging"] {
            #expect(access(documents + "/" + name, F_OK) == -1 && errno == ENOENT)
        }
        #expect(try fixture.disk.takeDisplaced() == [])
        #expect(
            try fixture.disk.list(LocalPath()).map(\.path.names).sorted { $0[0] < $1[0] } == [
                ["Inbox"], ["empty"],
            ])
        for (path, parked): (LocalPath, _) in [("e", "/ab"), ("e/f", "/1"), ("l", "/2"), ("e/w", "/3")] {
            #expect(try move(LocalPath([parked]), to: path).exclusion == nil)
        }
        #expect(try contents(of: documents + "/e/f") == "x")
        #expect(try names(in: documents) == ["Inbox", "e", "empty", "l"])
        #expect(try fixture.staged() == [])
    }

    /// A backup: what moves behind its back would not be in it.
    @Test func whoWalksTheTreeMissesNothingThatSyncMoves() throws {
        let (tree, disk) = (fixture.mounted.tree, fixture.disk)
        func moves(parks: Bool) throws -> Bool { try disk.moving(parks: parks) { true } ?? false }
        try move("d/f", to: LocalPath(["/1"]))
        var waits = 0
        func wait() -> Bool {
            waits += 1
            // The circle that is under way ends; no other begins.
            #expect((try? moves(parks: true)) == false && (try? moves(parks: false)) == true)
            if waits == 2 { _ = try? move(LocalPath(["/1"]), to: "d/g") }
            return waits < 10
        }
        func walk() throws -> [String] {
            #expect(try !moves(parks: false) && !moves(parks: true))
            return try names(in: documents + "/d")
        }
        let seen = try tree.whileNothingMoves(waiting: wait, walk)
        #expect(waits == 2 && seen == ["g", "l", "x.db-wal"])
        #expect(disk.wakeAt.map { $0 <= fixture.clock.now() + 5_000_000_000 } ?? false)
        #expect(try moves(parks: true) && moves(parks: false))
        try move("d/g", to: LocalPath(["/1"]))
        #expect(try tree.whileNothingMoves(waiting: { false }, { true }) == nil)
    }

    @Test func theNextProcessBringsBackWhatIsParkedAndSaysWhereUntilThatIsKnown() throws {
        try move("d/f", to: LocalPath(["/1"]))
        try move("d/l", to: LocalPath(["/2"]))
        try move("empty", to: LocalPath(["/ab"]))
        // The one's name is taken, and the other's directory is gone.
        try write("y", to: documents + "/d/f")
        let told = [
            BroughtBack(name: "1", path: "d/f (cloud)"), BroughtBack(name: "2", path: "d/l"),
            BroughtBack(name: "ab", path: "empty"),
        ]
        for _ in 0..<2 {
            let found = try nextProcess().bringBackParked()
            #expect(found.sorted { $0.name < $1.name } == told)
        }
        #expect(try names(in: documents) == ["Inbox", "d", "empty"])
        #expect(try contents(of: documents + "/d/f") == "y")
        #expect(try contents(of: documents + "/d/f (cloud)") == "x")
        for item in told { try fixture.disk.forgetBroughtBack(item) }
        #expect(try fixture.disk.bringBackParked() == [])
        #expect(try fixture.staged() == [])
    }

    @Test func whereItsDirectoryIsGoneOrFlaggedItComesBackAtTheTop() throws {
        try move("d/f", to: LocalPath(["/1"]))
        try move("d/l", to: LocalPath(["/2"]))
        try fixture.disk.setFlag(at: "d")
        #expect(
            try nextProcess().bringBackParked().map(\.path.names).sorted { $0[0] < $1[0] } == [["f"], ["l"]])
        try move("f", to: LocalPath(["/1"]))
        mkdir(documents + "/gone", 0o755)
        try move("l", to: "gone/l")
        try move("gone/l", to: LocalPath(["/2"]))
        rmdir(documents + "/gone")
        #expect(
            try nextProcess().bringBackParked().map(\.path.names).sorted { $0[0] < $1[0] } == [["f"], ["l"]])
    }

    @Test func aWayThatWasNotTakenLeadsNobody() throws {
        try write("z", to: documents + "/z")
        // It is not what was expected, so it stays.
        let item = try #require(try fixture.disk.look(at: "z"))
        try write("zz", to: documents + "/z")
        #expect(throws: LocalError.changed) {
            try fixture.disk.move("z", to: LocalPath(["/9"]), in: nil, expecting: item.fingerprint)
        }
        #expect(try fixture.disk.bringBackParked() == [BroughtBack(name: "9", path: "z")])
        #expect(try contents(of: documents + "/z") == "zz")
    }
}
