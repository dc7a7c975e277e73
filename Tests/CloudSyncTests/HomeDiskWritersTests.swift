import CLinux
import FuseKit
import Glibc
import HomeFiles
import HomeTree
import Posix
import SystemPackage
import TestKit
import Testing

@testable import CloudSync
@testable import SyncContent
@testable import SyncLog

/// Files that somebody has open: when they are read, and that what is written to them is never lost.
@Suite(.enabled(if: Process.effectiveUserID == 0)) struct HomeDiskWritersTests {
    @Test(arguments: [DataPath.passthrough, .splice])
    func aFileIsNotReadWhileSomebodyHasItOpenForWriting(data: DataPath) throws {
        let fixture = try HomeDiskFixture(data: data)
        let file = open(fixture.documents + "/a", O_CREAT | O_RDWR, 0o644)
        #expect(write(file, "half", 4) == 4)
        #expect(try fixture.changes().paths == [LocalPath("a")])
        #expect(try fixture.item("a").isBeingWritten)
        #expect(throws: LocalError.inUse) { try fixture.read("a") }
        #expect(write(file, " and half", 9) == 9)
        close(file)
        #expect(try fixture.changes().paths == [LocalPath("a")])
        #expect(try !fixture.item("a").isBeingWritten)
        #expect(try fixture.read("a") == "half and half")
        #expect(fixture.disk.wakeAt == nil)
    }

    @Test func aMapThatOutlivesItsFileIsFoundThoughNothingTellsOfIt() throws {
        let fixture = try HomeDiskFixture()
        let mapped = fixture.map("a")
        let mapping = try #require(mapped)
        #expect(try fixture.changes().paths == [LocalPath("a")])
        #expect(try fixture.item("a").isBeingWritten)
        mapping.storeBytes(of: UInt8(ascii: "Y"), as: UInt8.self)
        #expect(msync(mapping, 4096, Int32(MS_SYNC)) == 0)
        // 1, 2, 4, then every 8 s: nothing to tell as long as it is mapped.
        for seconds: Double in [1, 2, 4, 8, 8] {
            let wakeAt = try #require(fixture.disk.wakeAt)
            #expect(wakeAt == fixture.clock.now() + UInt64(seconds * 1e9))
            fixture.clock.move(seconds: seconds - 0.1)
            #expect(fixture.disk.takeChanges().isEmpty)
            fixture.clock.move(seconds: 0.1)
            #expect(fixture.disk.takeChanges().isEmpty || seconds == 8)
        }
        let before = fixture.mounted.requests
        mapping.storeBytes(of: UInt8(ascii: "Z"), as: UInt8.self)
        munmap(mapping, 4096)
        #expect(fixture.mounted.requests == before)
        fixture.clock.move(seconds: 8)
        #expect(fixture.disk.takeChanges().paths == [LocalPath("a")])
        #expect(try fixture.read("a").hasPrefix("Z"))
        #expect(fixture.disk.wakeAt == nil)
    }

    @Test func whatAMapStoresAfterItsFileWasReadIsFoundThoughItStaysMapped() throws {
        let fixture = try HomeDiskFixture()
        let mapped = fixture.map("a")
        let mapping = try #require(mapped)
        defer { munmap(mapping, 4096) }
        mapping.storeBytes(of: UInt8(ascii: "Y"), as: UInt8.self)
        _ = try fixture.changes()
        func waitUntilTold() throws {
            for _ in 0..<10 {
                fixture.clock.move(seconds: 8)
                if fixture.disk.takeChanges().paths == [LocalPath("a")] { return }
            }
            Issue.record("never told")
        }
        #expect(try fixture.item("a").isBeingWritten)
        try waitUntilTold()
        #expect(try fixture.read("a").hasPrefix("Y"))
        // Reading wrote the page out, so the first store shows. The next goes into a page that is dirty
        // already: no time of the file moves.
        mapping.storeBytes(of: UInt8(ascii: "W"), as: UInt8.self)
        try waitUntilTold()
        let before = try fixture.item("a").fingerprint
        mapping.storeBytes(of: UInt8(ascii: "Z"), as: UInt8.self)
        #expect(try fixture.item("a").fingerprint == before)
        try waitUntilTold()
        #expect(try fixture.read("a").hasPrefix("Z"))
        // Written out, so that the next store shows.
        #expect(msync(mapping, 4096, Int32(MS_SYNC)) == 0)
        mapping.storeBytes(of: UInt8(ascii: "X"), as: UInt8.self)
        #expect(try fixture.item("a").fingerprint != before)
        try waitUntilTold()
        #expect(try fixture.read("a").hasPrefix("X"))
    }

    @Test func aFileThatStaysOpenAndStandsStillIsReadAndAgainWhenItIsQuiet() throws {
        let fixture = try HomeDiskFixture()
        let file = open(fixture.documents + "/a", O_CREAT | O_RDWR, 0o644)
        #expect(write(file, "so far", 6) == 6)
        _ = try fixture.changes()
        let path = LocalPath("a")
        #expect(try fixture.item("a").isBeingWritten)
        fixture.clock.move(seconds: 25)
        #expect(fixture.disk.takeChanges().isEmpty)
        #expect(write(file, "!", 1) == 1)
        fixture.clock.move(seconds: 8)
        // Open for 33 s, but it changed.
        #expect(fixture.disk.takeChanges().isEmpty)
        #expect(throws: LocalError.inUse) { try fixture.read("a") }
        var told = 0
        for _ in 0..<10 {
            fixture.clock.move(seconds: 8)
            if fixture.disk.takeChanges().paths == [path] { told += 1 }
        }
        // Once more after what a page may take unseen was written out.
        #expect(told == 2)
        let item = try fixture.item("a")
        #expect(!item.isBeingWritten)
        let read = try fixture.disk.read(path, expecting: item.fingerprint) { _ in }
        #expect(read.changed == 0 && read != item.fingerprint)
        close(file)
        #expect(try fixture.changes().paths == [path])
        #expect(try fixture.disk.read(path, expecting: item.fingerprint) { _ in } == item.fingerprint)
    }

    @Test func aHeldFileThatWasReadIsNotReadAgainUntilItChangesIsToldOrLetGoOf() throws {
        let fixture = try HomeDiskFixture()
        let mapped = fixture.map("a")
        let mapping = try #require(mapped)
        mapping.storeBytes(of: UInt8(ascii: "Y"), as: UInt8.self)
        #expect(try fixture.item("a").isBeingWritten)
        fixture.clock.move(seconds: 31)
        let path = LocalPath("a")
        func read() throws -> Fingerprint {
            try fixture.disk.read(path, expecting: try fixture.item("a").fingerprint) { _ in }
        }
        let first = try read()
        // What the synced tree then holds is what every look shows.
        #expect(first.changed == 0)
        #expect(try fixture.item("a").fingerprint == first)
        let listed = try fixture.disk.list(LocalPath()).first { $0.path == path }
        #expect(listed?.fingerprint == first)
        #expect(try fixture.disk.glance(at: path)?.item.fingerprint == first)
        #expect(try read() == first)
        var again = 0
        for _ in 0..<30 {
            fixture.clock.move(seconds: 8)
            if fixture.disk.takeChanges().paths == [path] { again += 1 }
            guard try fixture.item("a").fingerprint != first else { continue }
            #expect(try read() == first)
        }
        // Told when it stood still, and once more when no page can hold anything unseen.
        #expect(again <= 2)
        mapping.storeBytes(of: UInt8(ascii: "Z"), as: UInt8.self)
        #expect(try fixture.item("a").fingerprint.changed != 0)
        fixture.clock.move(seconds: 11)
        let second = try read()
        #expect(second != first)
        #expect(try fixture.item("a").fingerprint == second)
        munmap(mapping, 4096)
        fixture.clock.move(seconds: 8)
        #expect(fixture.disk.takeChanges().paths == [path])
        #expect(try fixture.item("a").fingerprint != second)
    }

    @Test func aRemoteVersionIsPutInThePlaceOfAHeldFileThatWasRead() throws {
        let fixture = try HomeDiskFixture()
        let mapped = fixture.map("a")
        let mapping = try #require(mapped)
        defer { munmap(mapping, 4096) }
        mapping.storeBytes(of: UInt8(ascii: "Y"), as: UInt8.self)
        #expect(try fixture.item("a").isBeingWritten)
        fixture.clock.move(seconds: 31)
        let read = try fixture.disk.read(LocalPath("a"), expecting: try fixture.item("a").fingerprint) { _ in
        }
        try fixture.place("theirs", at: "a", displacing: read)
        #expect(try contents(of: fixture.documents + "/a") == "theirs")
        // Its bytes wait aside for their holder.
        #expect(try fixture.disk.takeDisplaced().isEmpty)
        #expect(try fixture.staged() == ["sync-ab01"])
    }

    @Test func whatWasReadOfAFileThatStaysOpenMayLeaveUnlessItChangedSince() throws {
        let fixture = try HomeDiskFixture()
        let mapped = fixture.map("a")
        let mapping = try #require(mapped)
        defer { munmap(mapping, 4096) }
        mapping.storeBytes(of: UInt8(ascii: "Y"), as: UInt8.self)
        #expect(try fixture.item("a").isBeingWritten)
        fixture.clock.move(seconds: 31)
        let item = try fixture.item("a")
        var cut = CutDraft(
            draft: Draft(
                .create, file: FileID(bits: 1), path: item.path, parent: .root, name: "a",
                attributes: item.attributes, fingerprint: item.fingerprint, source: .file))
        cut.fingerprint = try fixture.disk.read(item.path, expecting: item.fingerprint) { _ in }
        #expect(cut.fingerprint != item.fingerprint)
        #expect(try fixture.disk.mayLeave(cut, .all))
        // Its modes are no content, but something stirs.
        chmod(fixture.documents + "/a", 0o600)
        #expect(try !fixture.disk.mayLeave(cut, .all))
        fixture.clock.move(seconds: 10)
        #expect(try fixture.disk.mayLeave(cut, .all))
        mapping.storeBytes(of: UInt8(ascii: "Z"), as: UInt8.self)
        fixture.clock.move(seconds: 10)
        #expect(try !fixture.disk.mayLeave(cut, .all))
        fixture.clock.move(seconds: 10)
        #expect(try !fixture.disk.mayLeave(cut, .all))
    }

    @Test func aFileThatChangesWhileItIsReadIsNeverTakenForWhole() throws {
        let fixture = try HomeDiskFixture()
        let size = 24 << 20
        let file = open(fixture.documents + "/a", O_CREAT | O_RDWR, 0o644)
        #expect(ftruncate(file, off_t(size)) == 0)
        close(file)
        fixture.mounted.waitForLastRequest()
        let expected = try fixture.item("a").fingerprint
        var runs = 0
        let path = fixture.documents + "/a"
        #expect(throws: LocalError.changed) {
            try fixture.disk.read(LocalPath("a"), expecting: expected) { _ in
                runs += 1
                guard runs == 2 else { return }
                let writer = open(path, O_WRONLY)
                _ = pwrite(writer, "x", 1, 0)
                close(writer)
            }
        }
        // Opened meanwhile, and not written yet.
        fixture.mounted.waitForLastRequest()
        let again = try fixture.item("a").fingerprint
        var writer: Int32 = -1
        #expect(throws: LocalError.inUse) {
            try fixture.disk.read(LocalPath("a"), expecting: again) { _ in
                if writer < 0 { writer = open(path, O_WRONLY) }
            }
        }
        close(writer)
    }

    @Test(arguments: [true, false]) func anAppOpensItsFileWhileItIsRead(holds: Bool) throws {
        let rules = SafetyRules(removed: holds ? [] : [.leasesAreProbes])
        let fixture = try HomeDiskFixture(rules: rules)
        try write("text", to: fixture.documents + "/a")
        fixture.mounted.waitForLastRequest()
        let path = fixture.documents + "/a"
        var opened: Int32 = -1
        var readError: LocalError?
        do throws(LocalError) {
            let item = try fixture.disk.look(at: LocalPath("a"))
            guard let item else { throw .gone }
            _ = try fixture.disk.read(LocalPath("a"), expecting: item.fingerprint) { _ in
                opened = open(path, O_RDWR)
            }
        } catch { readError = error }
        // With the lease held the app's open is refused, or waits for as long as the reading takes.
        #expect((opened >= 0) == holds)
        if opened >= 0 { close(opened) }
        #expect(readError == (holds ? .inUse : nil))
    }

    @Test(arguments: [true, false], [DataPath.passthrough, .splice])
    func whatIsWrittenToADisplacedFileIsToldAfterItsLastClose(holds: Bool, data: DataPath) throws {
        let rules = SafetyRules(removed: holds ? [] : [.displacedStaysLinked])
        let fixture = try HomeDiskFixture(rules: rules, data: data)
        let file = open(fixture.documents + "/a", O_CREAT | O_RDWR, 0o644)
        #expect(write(file, "mine", 4) == 4)
        _ = try fixture.changes()
        try fixture.place("theirs", at: "a", displacing: try fixture.item("a").fingerprint)
        #expect(try contents(of: fixture.documents + "/a") == "theirs")
        var bytes = [UInt8](repeating: 0, count: 8)
        #expect(pread(file, &bytes, 8, 0) == 4)
        #expect(pwrite(file, " and more", 9, 4) == 9)
        #expect(fsync(file) == 0)
        #expect(try fixture.disk.takeDisplaced() == [])
        let whileOpen = try fixture.disk.look(atDisplaced: "ab01")
        #expect((whileOpen != nil) == holds)
        close(file)
        fixture.mounted.waitForLastRequest()
        fixture.clock.move(seconds: 1)
        let displaced = try fixture.disk.takeDisplaced()
        // Without the rule the acknowledged bytes are nowhere.
        #expect(displaced.count == (holds ? 1 : 0))
        guard let first = displaced.first else { return }
        #expect(first.name == "ab01")
        #expect(whileOpen?.isSameInode(as: first.fingerprint) == true)
        #expect(try fixture.readDisplaced(first) == "mine and more")
        // Told until it is dropped.
        #expect(try fixture.disk.takeDisplaced() == displaced)
        try fixture.disk.dropDisplaced(first)
        #expect(try fixture.disk.takeDisplaced() == [])
        #expect(try fixture.disk.look(atDisplaced: "ab01") == nil)
        #expect(try fixture.staged() == [])
        #expect(fixture.disk.takeChanges().paths == [LocalPath("a")])
        #expect(fixture.disk.wakeAt == nil)
    }

    @Test(arguments: [DataPath.passthrough, .splice])
    func aRemovedFileThatIsOpenOrMappedIsKeptLikewise(data: DataPath) throws {
        let fixture = try HomeDiskFixture(data: data)
        let mapped = fixture.map("a")
        let mapping = try #require(mapped)
        fixture.mounted.waitForLastRequest()
        let expected = try fixture.item("a").fingerprint
        try fixture.disk.remove(LocalPath("a"), expecting: expected, displacedAs: "77")
        #expect(access(fixture.documents + "/a", F_OK) == -1)
        #expect(try fixture.disk.takeDisplaced() == [])
        mapping.storeBytes(of: UInt8(ascii: "Z"), as: UInt8.self)
        munmap(mapping, 4096)
        fixture.mounted.waitForLastRequest()
        fixture.clock.move(seconds: 1)
        let displaced = try fixture.disk.takeDisplaced()
        #expect(displaced.map(\.name) == ["77"])
        #expect(try fixture.readDisplaced(displaced[0]).hasPrefix("Z"))
    }

    @Test func aDisplacedFileIsKeptBackWhereEachOtherNameOfItIsExcluded() throws {
        let fixture = try HomeDiskFixture()
        try write("mine", to: fixture.documents + "/a")
        mkdir(fixture.documents + "/d", 0o755)
        fixture.mounted.waitForLastRequest()
        try fixture.place("theirs", at: "a", displacing: try fixture.item("a").fingerprint)
        #expect(try !fixture.disk.isKeptBack(fixture.onlyDisplaced()))
        #expect(link(fixture.mounted.staging + "/sync-ab01", fixture.backing + "/d/b") == 0)
        #expect(try !fixture.disk.isKeptBack(fixture.onlyDisplaced()))
        #expect(setAttribute("com.apple.MobileBackup", [1], of: fixture.documents + "/d") == nil)
        #expect(try fixture.disk.isKeptBack(fixture.onlyDisplaced()))
        #expect(link(fixture.documents + "/d/b", fixture.documents + "/c") == 0)
        #expect(try !fixture.disk.isKeptBack(fixture.onlyDisplaced()))
    }

    /// Somebody has it open, so that the kernel and the tree go on knowing it by its first name.
    @Test func aDisplacedFileHasTheRulesOfItsOtherName() throws {
        let fixture = try HomeDiskFixture()
        try write("mine", to: fixture.documents + "/a")
        mkdir(fixture.documents + "/d", 0o755)
        let held = open(fixture.documents + "/a", O_RDONLY)
        defer { close(held) }
        try fixture.place("theirs", at: "a", displacing: try fixture.item("a").fingerprint)
        #expect(link(fixture.mounted.staging + "/sync-ab01", fixture.backing + "/d/b") == 0)
        #expect(link(fixture.documents + "/d/b", fixture.documents + "/c") == 0)
        #expect(chmod(fixture.documents + "/c", 0o600) == 0)
    }

    @Test func afterAKillLeftoversAreFoundAndNothingElseInStagingIs() throws {
        let fixture = try HomeDiskFixture()
        try write("mine", to: fixture.documents + "/a")
        fixture.mounted.waitForLastRequest()
        try fixture.place("theirs", at: "a", displacing: try fixture.item("a").fingerprint)
        try write("half", to: fixture.mounted.staging + "/sync-55")
        try write("share put", to: fixture.mounted.staging + "/123-4")
        // A daemon that starts anew: another tree of the same container.
        let tree = try HomeTree(
            container: Descriptor(fixture.mounted.container, flags: lx_o_path | lx_o_directory),
            staging: Descriptor(fixture.mounted.staging, flags: lx_o_directory),
            budget: DescriptorBudget(handleLimit: 100, cachedLimit: 100))
        try tree.emptyStaging()
        let disk = try HomeDisk(tree: tree, clock: fixture.clock)
        let displaced = try disk.takeDisplaced().sorted { $0.name < $1.name }
        #expect(displaced.map(\.name) == ["55", "ab01"])
        var bytes: [UInt8] = []
        try disk.readDisplaced(displaced[1]) { bytes += $0 }
        #expect(String(decoding: bytes, as: UTF8.self) == "mine")
        #expect(try fixture.staged() == ["sync-55", "sync-ab01"])
    }
}

extension HomeDiskFixture {
    /// The one displaced file, when nobody has it open: the kernel tells of a last close when it likes.
    func onlyDisplaced() throws -> Displaced {
        for _ in 0..<250 {
            clock.move(seconds: 10)
            if let first = try disk.takeDisplaced().first { return first }
            usleep(20_000)
        }
        throw LocalError.gone
    }

    /// A file of one page, mapped to be written, and closed.
    func map(_ name: String) -> UnsafeMutableRawPointer? {
        let file = open(documents + "/" + name, O_CREAT | O_RDWR, 0o644)
        defer { close(file) }
        guard ftruncate(file, 4096) == 0 else { return nil }
        let mapping = mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
        return mapping == MAP_FAILED ? nil : mapping
    }
}
