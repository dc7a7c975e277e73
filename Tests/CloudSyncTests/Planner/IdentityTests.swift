import CloudSync
import Testing

@testable import SyncLog

/// SYNC.md 5 "Identity: the path first".
struct IdentityTests {
    @Test func aFileAtAKnownPathIsAnEditOfThatItemWhateverItsInode() throws {
        let device = try TestDevice.synced(["a": "1"])
        device.disk.save("2", to: "a")
        #expect(try device.lines() == ["edit a"])
    }

    @Test func anEditorsDanceWithABackupNameIsOneEdit() throws {
        let device = try TestDevice.synced(["a": "1"])
        device.disk.rename("a", to: "a~")
        device.disk.write("2", to: "a")
        #expect(try device.lines() == ["edit a", "create a~"])
        device.disk.delete("a~")
        #expect(try device.lines() == ["edit a"])
    }

    @Test func aFileWhoseOldPathIsGoneWasRenamed() throws {
        let device = try TestDevice.synced(["a": "1"])
        device.disk.rename("a", to: "b")
        #expect(try device.lines() == ["edit a", "move a -> /b"])
        let plan = try device.up()
        #expect(plan.drafts.count == 2)
        #expect(device.cloud.log.last?.batch.operations.count == 1, "its bytes are the known ones")
        #expect(try device.row("b") != nil)
        #expect(try device.lines().isEmpty)
    }

    @Test func aNewFileWithTheNumberOfADeletedOneIsNew() throws {
        let device = try TestDevice.synced(["a": "1"])
        let number = device.disk.find("a")?.number
        device.disk.delete("a")
        device.disk.write("2", to: "b")
        #expect(device.disk.find("b")?.number == number)
        #expect(try device.lines() == ["create b", "delete a"])
    }

    @Test func withoutTheBirthTimeANewFileWouldBeTakenForARename() throws {
        let device = try TestDevice.synced(["a": "1"], rules: SafetyRules(removed: [.inodeNeedsBirth]))
        device.disk.delete("a")
        device.disk.write("2", to: "b")
        #expect(try device.lines() == ["edit a", "move a -> /b"])
    }

    @Test func aFileSystemWithoutBirthTimesTellsOfNoRenameThatNobodySaw() throws {
        let device = TestDevice(1, TestCloud())
        device.disk.hasBirthTimes = false
        device.disk.write("1", to: "a")
        try device.up()
        device.disk.rename("a", to: "b")
        device.disk.changes.renames = []
        #expect(try device.lines() == ["create b", "delete a"])
    }

    @Test func aFileMovedOverAnotherIsAnEditOfThatAndADelete() throws {
        let device = try TestDevice.synced(["a": "1", "b": "2"])
        device.disk.rename("a", to: "b")
        #expect(try device.lines() == ["edit b", "delete a"])
    }

    @Test func withoutThePathFirstAFileMovedOverAnotherTakesItsPlace() throws {
        let device = try TestDevice.synced(
            ["a": "1", "b": "2"], rules: SafetyRules(removed: [.pathDecidesFirst]))
        device.disk.rename("a", to: "b")
        #expect(try device.lines().contains("move a -> /b"))
    }

    @Test func twoFilesThatChangedPlacesAreTwoEdits() throws {
        let device = try TestDevice.synced(["a": "1", "b": "2"])
        device.disk.exchange("a", "b")
        #expect(try device.lines() == ["edit a", "edit b"])
    }

    @Test func aDirectoryRenameIsOneMove() throws {
        let files = Dictionary(uniqueKeysWithValues: (0..<50).map { ("d/\($0)", "\($0)") })
        let device = try TestDevice.synced(files, directories: ["d"])
        device.disk.rename("d", to: "e")
        #expect(try device.lines() == ["move d -> /e"])
        try device.up()
        #expect(try device.lines().isEmpty)
        device.touched = Touched(whole: [LocalPath()])
        #expect(try device.lines().isEmpty)
    }

    @Test func whatChangedInADirectoryBeforeItsRenameIsFoundInIt() throws {
        let device = try TestDevice.synced(["d/a": "1", "d/b": "2", "d/c": "3"], directories: ["d"])
        device.disk.write("4", to: "d/a")
        device.disk.rename("d/b", to: "d/x")
        device.disk.delete("d/c")
        device.disk.rename("d", to: "e")
        #expect(try device.lines() == ["edit a", "edit b", "move d -> /e", "move b -> d/x", "delete c"])
    }

    @Test func aDirectoryMadeAnewAtAKnownPathIsThatItem() throws {
        let device = try TestDevice.synced(["d/a": "1", "d/b": "2"], directories: ["d"])
        device.disk.delete("d")
        device.disk.makeDirectory("d")
        device.disk.write("3", to: "d/a")
        #expect(try device.lines() == ["refresh d", "edit a", "delete b"])
    }

    @Test func aDirectoryThatHadAnotherNameForAWhileIsListedWithWhatCameMeanwhile() throws {
        let device = try TestDevice.synced(["d/a": "1", "d/b": "2"], directories: ["d"])
        device.disk.rename("d", to: "e")
        // Noted under the name that it had then.
        device.disk.write("3", to: "e/a")
        device.disk.write("4", to: "e/new")
        device.disk.delete("e/b")
        device.disk.rename("e", to: "d")
        #expect(try device.lines() == ["edit a", "create d/new", "delete b"])
    }

    @Test func aDirectoryThatWasNotedAloneIsNotListed() throws {
        let files = Dictionary(uniqueKeysWithValues: (0..<50).map { ("d/\($0)", "\($0)") })
        let device = try TestDevice.synced(files, directories: ["d"])
        device.disk.looks = 0
        device.disk.setMode(0o700, "d")
        #expect(try device.lines() == ["attributes d"])
        #expect(device.disk.looks < 5)
    }

    @Test func aDirectoryBesideItsSuccessorIsKnownByItsInode() throws {
        let device = try TestDevice.synced(["d/a": "1"], directories: ["d"])
        device.disk.rename("d", to: "e")
        device.disk.makeDirectory("d")
        #expect(try device.lines() == ["move d -> /e", "create d"])
    }

    @Test func twoDirectoriesThatChangedPlacesGoThroughANameOfTheirOwnInOneBatch() throws {
        let device = try TestDevice.synced(["d/a": "1", "e/b": "2"], directories: ["d", "e"])
        device.disk.exchange("d", "e")
        let plan = try device.planUp()
        let lines = try device.lines(plan)
        #expect(lines.count == 3)
        #expect(lines[0].hasPrefix("park "))
        #expect(plan.drafts.map(\.isJoined) == [false, true, true])
        #expect(Set(lines.dropFirst()) == ["move d -> /e", "move e -> /d"])
    }

    @Test func aDirectoryAndItsChildThatChangedPlacesAreOrderedFromTheTop() throws {
        let device = try TestDevice.synced(["d/e/a": "1"], directories: ["d", "d/e"])
        device.disk.rename("d/e", to: "e")
        device.disk.rename("d", to: "e/d")
        #expect(try device.lines() == ["move e -> /e", "move d -> e/d"])
    }

    @Test func aHardLinkIsAFileOfItsOwnAndAnEditUnderEachName() throws {
        let device = try TestDevice.synced(["a": "1"])
        device.disk.hardLink("a", to: "b")
        #expect(try device.lines() == ["edit a", "create b"])
        try device.up()
        device.disk.write("2", to: "a")
        device.disk.changes.paths.insert("b")
        #expect(try device.lines() == ["edit a", "edit b"])
    }

    @Test func anotherKindAtAKnownPathComesAfterADelete() throws {
        let device = try TestDevice.synced(["a": "1"])
        device.disk.delete("a")
        device.disk.makeDirectory("a")
        #expect(try device.lines() == ["delete a", "create a"])
    }

    @Test func aDatalessFileIsKnownByItsMarkerBeforeItsPath() throws {
        let device = try TestDevice.synced(["a": "1", "b": "2"])
        try device.makeDataless("a")
        device.disk.rename("a", to: "b")
        let lines = try device.lines()
        #expect(lines.contains("delete b"))
        #expect(lines.last == "move a -> /b")
        #expect(!lines.contains { $0.hasPrefix("edit") || $0.hasPrefix("create") })
    }

    @Test func aDatalessFileThatChangedPlacesWithAnotherLeavesThatTheItemItWas() throws {
        let device = try TestDevice.synced(["a": "1", "b": "2"])
        try device.makeDataless("a")
        device.disk.exchange("a", "b")
        let lines = try device.lines()
        #expect(lines.contains("move a -> /b") && lines.contains("move b -> /a"))
        #expect(!lines.contains { $0.hasPrefix("create") || $0.hasPrefix("delete") })
    }

    @Test func aDatalessFileNeverUploadsItsEmptiness() throws {
        let device = try TestDevice.synced(["a": "1"])
        try device.makeDataless("a")
        device.disk.setMode(0o600, "a")
        #expect(try device.lines() == ["attributes a"])
        try device.up()
        device.disk.find("a")?.changed += 5
        device.touched = Touched(whole: [LocalPath()])
        #expect(try !device.lines().contains { $0.hasPrefix("edit") })
    }

    @Test func withoutThatRuleADatalessFileWouldBeRead() throws {
        let device = try TestDevice.synced(["a": "1"], rules: SafetyRules(removed: [.datalessNeverUploads]))
        try device.makeDataless("a")
        device.disk.setMode(0o600, "a")
        #expect(try device.lines() == ["edit a"])
    }
}

extension TestDevice {
    /// As eviction leaves a file.
    func makeDataless(_ path: LocalPath) throws {
        let inode = try #require(disk.find(path))
        inode.isDataless = true
        inode.bytes = Array(repeating: 0, count: inode.bytes.count)
        inode.changed = disk.tick()
        var row = try #require(try row(path))
        row.isDataless = true
        row.fingerprint = inode.fingerprint
        try storage.write { try $0.setSynced(row) }
    }
}
