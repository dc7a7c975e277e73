import Testing

@testable import CloudSync
@testable import SyncLog

/// SYNC.md 5 "Identity": a save by temporary file and rename, and then a rename of the document before
/// anybody looked. Neither its path nor its inode is known; the mount saw the rename.
struct RenamedSaveTests {
    @Test func aSaveAndThenARenameIsAnEditAndAMove() throws {
        let device = try TestDevice.synced(["a": "1"])
        device.disk.save("2", to: "a")
        device.disk.rename("a", to: "b")
        #expect(try device.lines() == ["edit a", "move a -> /b"])
        try device.up()
        #expect(try device.lines().isEmpty)
    }

    @Test func withoutThatRuleItIsADeleteAndANewOne() throws {
        let device = try TestDevice.synced(
            ["a": "1"], rules: SafetyRules(removed: [.renamesAreFollowed]))
        device.disk.save("2", to: "a")
        device.disk.rename("a", to: "b")
        #expect(try device.lines() == ["create b", "delete a"])
    }

    @Test func severalRenamesAndAnotherSaveAreFollowed() throws {
        let device = try TestDevice.synced(["d/a": "1"], directories: ["d"])
        device.disk.save("2", to: "d/a")
        device.disk.rename("d/a", to: "d/b")
        device.disk.save("3", to: "d/b")
        device.disk.rename("d/b", to: "c")
        #expect(try device.lines() == ["edit a", "move a -> /c"])
    }

    @Test(arguments: ["save.tmp", ".goutputstream-K3J4R2", "index.lock"])
    func aTemporaryFileOfEitherNameIsNoItem(_ temporary: String) throws {
        let (device, temporary) = (try TestDevice.synced(["a": "1"]), LocalPath([temporary]))
        device.disk.write("2", to: temporary)
        device.disk.rename(temporary, to: "a")
        device.disk.rename("a", to: "b")
        device.disk.write("3", to: temporary)
        device.disk.rename(temporary, to: "b")
        #expect(try device.lines() == ["edit a", "move a -> /b"])
    }

    @Test(arguments: ["save.tmp", ".goutputstream-K3J4R2", "a.crdownload", "#a#"])
    func whatWasWrittenUnderATemporaryNameSyncsUnderItsOwn(_ temporary: String) throws {
        let (device, temporary) = (try TestDevice.synced([:]), LocalPath([temporary]))
        device.disk.write("1", to: temporary)
        #expect(try device.up().drafts.isEmpty)
        device.disk.rename(temporary, to: "a")
        #expect(try device.lines() == ["create a"])
    }

    @Test func thePathDecidesFirstAtEachStep() throws {
        let device = try TestDevice.synced(["a": "1", "b": "2", "c": "3"])
        device.disk.save("4", to: "a")
        // From here on it is b.
        device.disk.rename("a", to: "b")
        device.disk.rename("b", to: "x")
        #expect(try device.lines() == ["edit b", "move b -> /x", "delete a"])
    }

    /// A plan looked for it while the directory was away, and left it to the look at that one's new name.
    @Test func whatIsNewInADirectoryThatWasAwayForAWhileIsFound() throws {
        let device = try TestDevice.synced(["d/a": "1"], directories: ["d"])
        device.disk.write("2", to: "d/b")
        _ = device.disk.takeChanges()
        device.disk.rename("d", to: "e")
        device.disk.rename("e", to: "d")
        #expect(try device.lines() == ["create d/b"])
    }

    @Test func whatLiesAtTheOldPathIsTheItem() throws {
        let device = try TestDevice.synced(["a": "1"])
        device.disk.save("2", to: "a")
        device.disk.rename("a", to: "b")
        device.disk.write("3", to: "a")
        #expect(try device.lines() == ["edit a", "create b"])
    }

    @Test func aBackupThatKeepsTheInodeKeepsTheItem() throws {
        let device = try TestDevice.synced(["a": "1"])
        device.disk.rename("a", to: "a~")
        device.disk.write("2", to: "a")
        device.disk.rename("a", to: "b")
        #expect(try device.lines() == ["edit a", "move a -> /a~", "create b"])
        device.disk.delete("a~")
        #expect(try device.lines() == ["edit a", "move a -> /b"])
    }

    @Test func anEditorsDanceUnderANameThatWasNeverToldIsFollowed() throws {
        let device = try TestDevice.synced(["a": "1"])
        device.disk.save("2", to: "a")
        device.disk.rename("a", to: "b")
        device.disk.rename("b", to: "b~")
        device.disk.write("3", to: "b")
        device.disk.delete("b~")
        device.disk.rename("b", to: "c")
        #expect(try device.lines() == ["edit a", "move a -> /c"])
    }

    @Test func whatComesUnderTheOldNameLaterIsAnotherDocument() throws {
        let device = try TestDevice.synced(["a": "1"])
        device.disk.save("2", to: "a")
        device.disk.rename("a", to: "b")
        device.disk.write("3", to: "a")
        device.disk.rename("a", to: "c")
        #expect(try device.lines() == ["edit a", "move a -> /b", "create c"])
    }

    @Test func itsConflictVersionsStayWithIt() async throws {
        let cloud = TestCloud()
        let (a, b) = (TestDevice(1, cloud), TestDevice(2, cloud))
        a.disk.write("0", to: "f")
        #expect(try await convergeAll([a, b], rounds: 30) < 30)
        a.disk.save("A", to: "f")
        b.disk.save("B", to: "f")
        #expect(try await convergeAll([a, b], rounds: 30) < 30)
        b.disk.save("C", to: "f")
        b.disk.rename("f", to: "g")
        #expect(try await convergeAll([a, b], rounds: 30) < 30)
        #expect(a.disk.contents == ["g": "C"])
        let node = try #require(try a.storage.read { try $0.item(at: ["g"]) })
        #expect(node.contents.count == 2)
    }

    @Test func aPlanThatIsMadeAgainStillKnowsOfIt() throws {
        let device = try TestDevice.synced(["a": "1"])
        device.disk.save("2", to: "a")
        device.disk.rename("a", to: "b")
        let first = try device.planUp()
        #expect(try device.lines(first) == device.lines(device.planUp()))
        // A change that comes later is taken up with it.
        device.disk.rename("b", to: "c")
        #expect(try device.lines() == ["edit a", "move a -> /c"])
    }

    @Test func whatIsRenamedWhileItsAbsenceIsPlannedIsFollowed() async throws {
        let clock = ContentFixture.Clock()
        let device = await EngineDevice(
            LogFixture.store(clock), clock, try EngineThread(yields: false), seed: 1)
        device.disk.write("1", to: "a")
        await device.sync()
        let item = try #require(try device.storage.read { try $0.item(at: ["a"]) })
        device.disk.save("2", to: "a")
        device.disk.rename("a", to: "b")
        // Nobody saw it go: it would be all that there is, and a person be asked.
        device.disk.changes.everything = true
        device.disk.changes.paths = []
        device.disk.onLook = { [disk = device.disk] in
            disk.onLook = {}
            disk.rename("b", to: "c")
        }
        await device.sync()
        #expect(await device.status.trouble == nil)
        clock.pass(2_000_000_000)
        await device.sync()
        #expect(try device.storage.read { try $0.item(at: ["c"]) }?.id == item.id)
    }

    /// Each plan sees it gone where it was, and not yet where it comes to lie.
    @Test func whatIsMovedDuringEachOfAFewPlansIsNotDeleted() async throws {
        let clock = ContentFixture.Clock()
        let device = await EngineDevice(
            LogFixture.store(clock), clock, try EngineThread(yields: false), seed: 1)
        let disk = device.disk
        disk.makeDirectory("d")
        await device.sync()
        let item = try #require(try device.storage.read { try $0.item(at: ["d"]) })
        disk.rename("d", to: "e0")
        // A plan looks at d and at each name that it heard of: the last of these was left by then.
        var (moves, looks) = (0, 0)
        disk.onLook = {
            looks += 1
            guard looks == moves + 2, moves < 3 else { return }
            disk.rename(LocalPath(["e\(moves)"]), to: LocalPath(["e\(moves + 1)"]))
            (moves, looks) = (moves + 1, 0)
        }
        await device.sync()
        #expect(moves == 3)
        #expect(try device.storage.read { try $0.item(at: ["e3"]) }?.id == item.id)
    }

    @Test func onlyWhatLeadsToAPathIsKept() {
        func move(_ from: LocalPath, _ to: LocalPath) -> LocalMove { LocalMove(from: from, to: to) }
        let all = Touched(
            LocalChanges(renames: [move("a", "b"), move("x", "y"), move("b", "c"), move("c", "d")]))
        let kept = Touched(LocalChanges(renames: [move("a", "b"), move("b", "c")]))
        #expect(all.trail.leading(to: ["c"]) == kept.trail)
        #expect(all.trail.leading(to: ["z"]).isEmpty)
    }

    @Test func renamingToAndFroForEverCostsNoMore() {
        let (there, back) = (LocalMove(from: "a", to: "b"), LocalMove(from: "b", to: "a"))
        var touched = Touched()
        for _ in 0..<40 {
            touched.formUnion(
                Touched(LocalChanges(renames: Array(repeating: [there, back], count: 500).flatMap(\.self))))
        }
        #expect(touched.trail.renames.count == UpPlanner.itemsInPlan)
    }
}
