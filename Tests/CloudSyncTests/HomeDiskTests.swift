import CLinux
import CloudSync
import Glibc
import HomeTree
import Posix
import SystemPackage
import TestKit
import Testing

@testable import SyncContent
@testable import SyncLog

/// Looking at Documents and changing it, under a live mount.
@Suite struct HomeDiskTests {
    @Test func theFirstAnswerIsEverythingAndThenOnlyWhatChanged() throws {
        let fixture = try HomeDiskFixture()
        let other = try HomeDisk(tree: fixture.mounted.tree, clock: fixture.clock, wake: {})
        #expect(other.takeChanges().everything)
        #expect(other.takeChanges() == LocalChanges())
        try write("x", to: fixture.documents + "/a")
        #expect(eventually { other.takeChanges().paths == [LocalPath("a")] })
    }

    @Test func anItemIsDescribedWithAllThatTravels() throws {
        let fixture = try HomeDiskFixture()
        let path = fixture.documents + "/a"
        try write("hello", to: path)
        #expect(chmod(path, 0o600) == 0)
        #expect(setAttribute("com.apple.b", [2], of: path) == nil)
        #expect(setAttribute("com.apple.a", [1, 0], of: path) == nil)
        #expect(setAttribute("user.other", [1], of: path) == nil)
        symlink("a", fixture.documents + "/l")
        mkdir(fixture.documents + "/d", 0o750)
        fixture.mounted.waitForLastRequest()
        let file = try fixture.item("a")
        #expect(file.kind == .file)
        #expect(file.fingerprint.sizeBytes == 5)
        #expect(file.fingerprint.birth > 0)
        #expect(file.attributes.mode == 0o600)
        #expect(file.attributes.extended.map(\.name) == ["com.apple.a", "com.apple.b"])
        #expect(file.attributes.extended.map(\.value) == [[1, 0], [2]])
        #expect(file.exclusion == nil && !file.isBeingWritten)
        #expect(try fixture.item("l").kind == .symlink(target: Array("a".utf8)))
        let directory = try fixture.item("d")
        #expect(directory.kind == .directory)
        #expect(directory.attributes.mode == 0o750 && directory.attributes.modified == 0)
        #expect(try fixture.look("nothing") == nil)
        #expect(try fixture.look("a/nothing") == nil)
        let listed = try fixture.disk.list(LocalPath())
        #expect(Set(listed.map(\.path.names)) == [["a"], ["l"], ["d"], ["Inbox"]])
        #expect(listed.contains(file))
        #expect(fixture.mounted.events.all.isEmpty)
    }

    @Test func whatWasMovedOutOfDocumentsIsFoundInTheRestOfTheHome() throws {
        let fixture = try HomeDiskFixture()
        let (documents, home) = (fixture.documents, fixture.mounted.home)
        for name in ["a", "deleted", "stays"] { try write("x", to: documents + "/" + name) }
        mkdir(documents + "/d", 0o755)
        try write("y", to: documents + "/d/b")
        let (a, deleted, stays) = (
            try fixture.item("a"), try fixture.item("deleted"), try fixture.item("stays")
        )
        let (d, b) = (try fixture.item("d"), try fixture.item("d/b"))
        _ = try fixture.changes()
        rename(documents + "/a", home + "/tmp/z")
        mkdir(home + "/Library/Application Support", 0o755)
        rename(documents + "/d", home + "/Library/Application Support/d")
        unlink(documents + "/deleted")
        #expect(try fixture.changes().hasDepartures)
        let found = try fixture.disk.departed([a, deleted, stays, d, b].map(\.fingerprint))
        #expect(found == Set([a, d, b].map(\.fingerprint)))
        rename(home + "/Library/Application Support/d", documents + "/e")
        #expect(try fixture.changes().arrivals == ["e"])
        let live = fixture.mounted.tree.liveInodeCount
        _ = try fixture.disk.departed([a, b].map(\.fingerprint))
        #expect(fixture.mounted.tree.liveInodeCount == live)
    }

    @Test func aStagedFileIsFlaggedBeforeItIsSeen() throws {
        let fixture = try HomeDiskFixture()
        let staged = try fixture.disk.stage(as: "ab12")
        try staged.append([1, 2])
        try staged.setFlag()
        _ = try fixture.disk.place(
            staged, at: LocalPath("a"), attributes: .init(mode: 0o640, modified: 5), displacing: nil)
        #expect(try fixture.item("a").exclusion == .flagged)
        #expect(try fixture.item("a").attributes.mode == 0o640)
    }

    @Test func filesThatWereMadeDurableTogetherArePlacedAsTheyShallBe() throws {
        let fixture = try HomeDiskFixture()
        let attributes = SyncLog.Attributes(
            mode: 0o640, modified: 5, extended: [ExtendedAttribute(name: "com.apple.x", value: [1])])
        let staged = try (0..<3).map { try fixture.disk.stage(as: "ab0\($0)") }
        for file in staged { try file.append([0x61]) }
        fixture.disk.complete(staged.map { ($0, attributes) })
        // Nobody adds to what is durable.
        #expect(throws: LocalError.self) { try staged[0].append([0x62]) }
        for (index, file) in staged.enumerated() {
            _ = try fixture.disk.place(
                file, at: LocalPath("f\(index)"), attributes: attributes, displacing: nil)
        }
        try fixture.disk.makeDurable([LocalPath(), LocalPath("gone")])
        for index in 0..<3 {
            #expect(try fixture.item("f\(index)").attributes == attributes)
            #expect(try fixture.read("f\(index)") == "a")
        }
    }

    @Test func nothingComesIntoAnotherDirectoryThanTheOneThatIsMeant() throws {
        let fixture = try HomeDiskFixture()
        let attributes = SyncLog.Attributes(mode: 0o750, modified: 5)
        for name in ["d", "e"] { mkdir(fixture.backing + "/" + name, 0o755) }
        let (meant, other) = (try fixture.item("d").fingerprint, try fixture.item("e").fingerprint)
        let file = try fixture.place("x", at: "a")
        let staged = try fixture.disk.stage(as: "ab02")
        try staged.append([0x79])
        func put(in directory: Fingerprint) throws {
            _ = try fixture.disk.make(
                .directory, at: LocalPath("d/f"), in: directory, attributes: attributes)
            _ = try fixture.disk.place(
                staged, at: LocalPath("d/b"), in: directory, attributes: attributes, displacing: nil)
            _ = try fixture.disk.move(
                LocalPath("a"), to: LocalPath("d/a"), in: directory, expecting: file)
        }
        #expect(throws: LocalError.changed) { try put(in: other) }
        #expect(throws: LocalError.changed) {
            try fixture.disk.place(
                staged, at: LocalPath("d/b"), in: other, attributes: attributes, displacing: nil)
        }
        #expect(throws: LocalError.changed) {
            try fixture.disk.move(LocalPath("a"), to: LocalPath("d/a"), in: other, expecting: file)
        }
        #expect(throws: LocalError.changed) { try fixture.disk.list(LocalPath("d"), being: other) }
        #expect(throws: LocalError.changed) {
            try fixture.disk.list(LocalPath("d"), being: other, room: 9) { _, _ in false }
        }
        #expect(try fixture.disk.list(LocalPath("d"), being: meant).isEmpty)
        try put(in: meant)
        #expect(try fixture.read("d/b") == "y")
        #expect(try fixture.read("d/a") == "x")
    }

    @Test func whatComesGetsIntoADirectoryThatItsOwnerClosed() throws {
        let fixture = try HomeDiskFixture()
        let owner: UInt32 = 12_345
        let container = fixture.mounted.container
        mkdir(fixture.backing + "/d", 0o755)
        for path in [container, fixture.backing, fixture.backing + "/d", fixture.mounted.staging] {
            try valueOrErrno(lx_chownat(lx_at_fdcwd, path, owner, owner))
        }
        try valueOrErrno(lx_chmodat(lx_at_fdcwd, fixture.backing + "/d", 0o555))
        try UserRights(userID: owner, groupID: owner).acting {
            let placed = try fixture.place("x", at: "d/a")
            #expect(try fixture.item("d").attributes.mode == 0o555)
            _ = try fixture.disk.make(
                .directory, at: LocalPath("d/e"), attributes: .init(mode: 0o555, modified: 0))
            _ = try fixture.disk.move(LocalPath("d/a"), to: LocalPath("d/e/a"), expecting: placed)
            #expect(try fixture.read("d/e/a") == "x")
            try fixture.disk.remove(
                LocalPath("d/e/a"), expecting: fixture.item("d/e/a").fingerprint, displacedAs: "ab02")
            #expect(try fixture.look("d/e/a") == nil)
            #expect(try fixture.item("d").attributes.mode == 0o555)
            #expect(try fixture.item("d/e").attributes.mode == 0o555)
            try valueOrErrno(lx_chmodat(lx_at_fdcwd, fixture.backing + "/d/e", 0o111))
            try fixture.disk.makeDurable([LocalPath("d/e"), LocalPath("d")])
            #expect(try fixture.item("d/e").attributes.mode == 0o111)
        }
    }

    @Test func whoHasADisplacedDocumentOpenMayGoOnChangingIt() throws {
        let fixture = try HomeDiskFixture()
        let path = fixture.documents + "/a"
        try write("old text", to: path)
        let file = open(path, O_RDWR)
        defer { close(file) }
        try fixture.place("new", at: "a", displacing: try fixture.item("a").fingerprint)
        #expect(try contents(of: path) == "new")
        let times = [timespec(tv_sec: 5, tv_nsec: 0), timespec(tv_sec: 6, tv_nsec: 0)]
        #expect(ftruncate(file, 3) == 0 && fchmod(file, 0o600) == 0 && futimens(file, times) == 0)
        #expect(lx_setxattrat(file, "", "com.apple.x", "1", 1, 0) == 0)
        #expect(pwrite(file, "OLD", 3, 0) == 3)
        var status = stat()
        #expect(fstat(file, &status) == 0 && status.st_size == 3 && status.st_mtim.tv_sec > 6)
        #expect(try contents(of: path) == "new")
    }

    @Test func whatHasNoPlaceInTheCloudSaysWhy() throws {
        let fixture = try HomeDiskFixture()
        for name in ["a.tmp", "b.nosync", ".DS_Store", "flagged", "other-wal"] {
            try write("x", to: fixture.documents + "/" + name)
        }
        mkdir(fixture.documents + "/.Trash", 0o755)
        mkfifo(fixture.documents + "/fifo", 0o644)
        #expect(setAttribute("com.apple.MobileBackup", [1], of: fixture.documents + "/flagged") == nil)
        try write("SQLite format 3\0", to: fixture.documents + "/d.sqlite")
        for suffix in ["-wal", "-shm", "-journal"] {
            try write("x", to: fixture.documents + "/d.sqlite" + suffix)
        }
        let found = try Dictionary(
            uniqueKeysWithValues: fixture.disk.list(LocalPath()).map { ($0.path.names[0], $0.exclusion) })
        #expect(
            found == [
                "a.tmp": .name, "b.nosync": .name, ".DS_Store": .name, ".Trash": .name, "Inbox": .name,
                "flagged": .flagged, "fifo": .kind, "d.sqlite": nil, "d.sqlite-wal": .databaseCompanion,
                "d.sqlite-shm": .databaseCompanion, "d.sqlite-journal": .databaseCompanion, "other-wal": nil,
            ])
    }

    @Test func aChangeOfADatabasesLogIsOneOfTheDatabase() throws {
        let fixture = try HomeDiskFixture()
        try write("SQLite format 3\0", to: fixture.documents + "/d")
        let before = try fixture.item("d").fingerprint
        _ = try fixture.changes()
        try write("frames", to: fixture.documents + "/d-wal")
        #expect(try fixture.changes().paths == [LocalPath("d"), LocalPath("d-wal")])
        let after = try fixture.item("d").fingerprint
        #expect(after != before && after.isSameInode(as: before))
    }

    @Test func aFileIsReadWholeWithTheFingerprintThatHeld() throws {
        let fixture = try HomeDiskFixture()
        let text = String(repeating: "0123456789", count: 900_000)
        let path = fixture.documents + "/a"
        let file = open(path, O_CREAT | O_WRONLY, 0o644)
        #expect(Glibc.write(file, text, text.utf8.count) == text.utf8.count)
        close(file)
        fixture.mounted.waitForLastRequest()
        let expected = try fixture.item("a").fingerprint
        var runs: [Int] = []
        var bytes: [UInt8] = []
        let held = try fixture.disk.read(LocalPath("a"), expecting: expected) {
            runs.append($0.count)
            bytes += $0
        }
        #expect(held == expected)
        #expect(runs == [4 << 20, 4 << 20, 9_000_000 - (8 << 20)])
        #expect(bytes.elementsEqual(text.utf8))
        #expect(throws: LocalError.gone) { try fixture.read("b", expecting: expected) }
        try write("x", to: path)
        fixture.mounted.waitForLastRequest()
        #expect(throws: LocalError.changed) { try fixture.read("a", expecting: expected) }
        fixture.disk.end()
        #expect(throws: LocalError.ended) { try fixture.read("a") }
    }

    @Test func aRemoteVersionTakesTheNameAndIsSeenAtOnce() throws {
        let fixture = try HomeDiskFixture()
        try write("old", to: fixture.documents + "/a")
        fixture.mounted.waitForLastRequest()
        #expect(try contents(of: fixture.documents + "/a") == "old")
        let attributes = Attributes(
            mode: 0o4640, modified: -1_500_000_000,
            extended: [ExtendedAttribute(name: "com.apple.x", value: [7])])
        let new = try fixture.place(
            "newer", at: "a", displacing: try fixture.item("a").fingerprint, attributes: attributes)
        #expect(try contents(of: fixture.documents + "/a") == "newer")
        let item = try fixture.item("a")
        #expect(item.fingerprint == new)
        #expect(item.attributes.mode == 0o640 && item.attributes.modified == -1_500_000_000)
        #expect(item.attributes.extended == attributes.extended)
        #expect(try fixture.place("b", at: "b", as: "2") == fixture.item("b").fingerprint)
        #expect(throws: LocalError.changed) { try fixture.place("c", at: "b", as: "3") }
        #expect(throws: LocalError.changed) {
            try fixture.place("c", at: "a", displacing: new.older, as: "4")
        }
        #expect(throws: LocalError.gone) { try fixture.place("c", at: "d/c", as: "5") }
        #expect(try contents(of: fixture.documents + "/a") == "newer")
        // What was not placed is not left behind; what was displaced is.
        #expect(try fixture.staged() == ["sync-ab01"])
    }

    @Test func directoriesAndSymlinksAreMadeMovedAndRemoved() throws {
        let fixture = try HomeDiskFixture()
        let attributes = Attributes(mode: 0o710, modified: 5_000_000_000)
        _ = try names(in: fixture.documents)
        let directory = try fixture.disk.make(.directory, at: LocalPath("d"), attributes: attributes)
        let link = try fixture.disk.make(
            .symlink(target: Array("x/y".utf8)), at: LocalPath("d/l"), attributes: attributes)
        #expect(try status(fixture.documents + "/d").st_mode & 0o7777 == 0o710)
        #expect(try status(fixture.documents + "/d/l").st_mtim.tv_sec == 5)
        #expect(throws: LocalError.changed) {
            try fixture.disk.make(.directory, at: LocalPath("d"), attributes: attributes)
        }
        let moved = try fixture.disk.move(LocalPath("d"), to: LocalPath("e"), expecting: directory)
        #expect(moved.isSameInode(as: directory))
        #expect(try names(in: fixture.documents) == ["Inbox", "e"])
        #expect(throws: LocalError.changed) {
            try fixture.disk.remove(LocalPath("e"), expecting: moved, displacedAs: "1")
        }
        try fixture.disk.remove(LocalPath("e/l"), expecting: link, displacedAs: "1")
        try fixture.disk.remove(LocalPath("e"), expecting: moved, displacedAs: "1")
        #expect(try names(in: fixture.documents) == ["Inbox"])
        #expect(try fixture.staged() == [])
    }

    @Test func theTimeThatSomebodyGivesASymlinkTravelsAndThatOfADirectoryDoesNot() throws {
        let fixture = try HomeDiskFixture()
        symlink("a", fixture.documents + "/l")
        mkdir(fixture.documents + "/d", 0o755)
        _ = fixture.disk.takeChanges()
        let times = [timespec(tv_sec: 7, tv_nsec: 0), timespec(tv_sec: 7, tv_nsec: 5)]
        for name in ["l", "d"] {
            let path = fixture.documents + "/" + name
            #expect(utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW) == 0)
        }
        #expect(fixture.disk.takeChanges().paths.contains("l"))
        let link = try fixture.item("l")
        #expect(link.attributes.modified == 7_000_000_005)
        #expect(try fixture.item("d").attributes.modified == 0)
        let other = Attributes(mode: 0o777, modified: 9_000_000_001)
        _ = try fixture.disk.setAttributes(LocalPath("l"), other, expecting: link.fingerprint)
        #expect(try fixture.item("l").attributes.modified == 9_000_000_001)
    }

    @Test func renamesAreToldInOrder() throws {
        let fixture = try HomeDiskFixture()
        try write("x", to: fixture.documents + "/a")
        _ = fixture.disk.takeChanges()
        #expect(rename(fixture.documents + "/a", fixture.documents + "/b") == 0)
        #expect(rename(fixture.documents + "/b", fixture.documents + "/c") == 0)
        let renames = fixture.disk.takeChanges().renames
        #expect(renames == [LocalMove(from: "a", to: "b"), LocalMove(from: "b", to: "c")])
        #expect(fixture.disk.takeChanges().renames.isEmpty)
    }

    @Test func whatIsRemovedIsToldApartFromWhatIsMovedOrReplaced() throws {
        let fixture = try HomeDiskFixture()
        let (documents, home) = (fixture.documents, fixture.mounted.home)
        for name in ["a", "b", "c", "d", "saved"] { try write("x", to: documents + "/" + name) }
        mkdir(documents + "/e", 0o755)
        let (a, d) = (try fixture.item("a").fingerprint.inode, try fixture.item("d").fingerprint.inode)
        _ = fixture.disk.takeChanges()
        #expect(rename(documents + "/saved", documents + "/b") == 0)
        #expect(rename(documents + "/c", home + "/tmp/c") == 0)
        #expect(link(documents + "/d", documents + "/other") == 0)
        #expect(rmdir(documents + "/e") == 0)
        for name in ["a", "other"] { #expect(unlink(documents + "/" + name) == 0) }
        #expect(fixture.disk.takeChanges().removed == [a, d])
        #expect(fixture.disk.takeChanges().removed.isEmpty)
    }

    @Test func whatIsNotWhatWasExpectedIsLeftAlone() throws {
        let fixture = try HomeDiskFixture()
        for name in ["a", "b"] { try write("x", to: fixture.documents + "/" + name) }
        fixture.mounted.waitForLastRequest()
        let (a, b) = (try fixture.item("a").fingerprint, try fixture.item("b").fingerprint)
        let (pathA, pathB, pathC) = (LocalPath("a"), LocalPath("b"), LocalPath("c"))
        let attributes = Attributes(mode: 0o600, modified: 1)
        #expect(throws: LocalError.changed) { try fixture.disk.move(pathA, to: pathB, expecting: a) }
        #expect(throws: LocalError.changed) { try fixture.disk.move(pathA, to: pathC, expecting: b) }
        #expect(throws: LocalError.gone) { try fixture.disk.move(pathC, to: LocalPath("z"), expecting: a) }
        #expect(throws: LocalError.changed) {
            try fixture.disk.remove(pathA, expecting: b, displacedAs: "1")
        }
        #expect(throws: LocalError.changed) {
            try fixture.disk.setAttributes(pathA, attributes, expecting: b)
        }
        #expect(try fixture.item("a").fingerprint == a)
        let changed = try fixture.disk.setAttributes(pathA, attributes, expecting: a)
        #expect(try fixture.item("a").fingerprint == changed)
        #expect(try status(fixture.documents + "/a").st_mode & 0o777 == 0o600)
        #expect(changed.modified == 1)
    }

    @Test func namesFromElsewhereNeverLeadOut() throws {
        let fixture = try HomeDiskFixture()
        symlink("..", fixture.documents + "/up")
        for names in [["..", "tmp", "x"], ["."], [""], ["a/b"], ["a\0b"], ["up", "tmp"]] {
            let path = LocalPath(names)
            #expect(throws: LocalError.self) {
                try fixture.disk.make(.directory, at: path, attributes: Attributes(mode: 0o755, modified: 0))
            }
        }
        #expect(throws: LocalError.self) { try fixture.disk.stage(as: "../x") }
        #expect(try names(in: fixture.mounted.container + "/tmp") == [])
    }

    @Test func aWriterKeepsItsTimesFromBeingSetAside() throws {
        let fixture = try HomeDiskFixture()
        let file = open(fixture.documents + "/a", O_CREAT | O_RDWR, 0o644)
        defer { close(file) }
        let fingerprint = try fixture.item("a").fingerprint
        #expect(throws: LocalError.inUse) {
            try fixture.disk.setAttributes(
                LocalPath("a"), Attributes(mode: 0o644, modified: 1), expecting: fingerprint)
        }
    }

    @Test func allNamesOfAHardLinkAreTold() throws {
        let fixture = try HomeDiskFixture()
        mkdir(fixture.documents + "/d", 0o755)
        try write("x", to: fixture.documents + "/a")
        #expect(link(fixture.documents + "/a", fixture.documents + "/d/b") == 0)
        _ = try fixture.changes()
        #expect(truncate(fixture.documents + "/a", 0) == 0)
        #expect(try fixture.changes().paths == [LocalPath("a"), LocalPath("d/b")])
    }
}
