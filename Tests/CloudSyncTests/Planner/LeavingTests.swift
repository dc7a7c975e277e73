import CloudSync
import Testing

@testable import SyncContent
@testable import SyncLog

/// What leaves the cloud, and what may not be concluded from what is not there (SYNC.md 3, 5).
struct LeavingTests {
    @Test func aFlaggedItemIsWithdrawnAndComesBackAsANewOne() throws {
        let device = try TestDevice.synced(["a": "1"])
        let old = try #require(try device.row("a"))
        device.disk.setFlag(true, "a")
        let plan = try device.planUp()
        #expect(plan.drafts.first?.kind == .withdraw(contents: [try #require(old.revision)]))
        try device.up()
        #expect(try device.lines().isEmpty)
        device.disk.setFlag(false, "a")
        let again = try device.planUp()
        #expect(try device.lines(again) == ["create a"])
        #expect(again.drafts.first?.file != old.file)
    }

    @Test func aRenameToAnExcludedNameTakesAnItemOut() throws {
        let device = try TestDevice.synced(["a": "1", "d/b": "2"], directories: ["d", ".Trash"])
        device.disk.rename("a", to: "a.nosync")
        #expect(try device.lines() == ["withdraw a"])
        try device.up()
        device.disk.rename("d/b", to: ".Trash/b")
        #expect(try device.lines() == ["withdraw b"])
    }

    @Test func whatWasMovedIntoADirectoryThatIsFlaggedAndMovedThenIsTakenOut() throws {
        let device = try TestDevice.synced(["d/f/x": "1", "d/y": "2"], directories: ["d", "d/e", "d/f"])
        device.disk.rename("d/f", to: "d/e/f")
        device.disk.rename("d/y", to: "d/e/y")
        device.disk.setFlag(true, "d/e")
        device.disk.rename("d/e", to: "e")
        #expect(
            try device.lines().sorted() == ["withdraw e", "withdraw f", "withdraw x", "withdraw y"])
    }

    @Test func whatWasMovedIntoAFlaggedDirectoryWhoseParentWasRenamedThenIsTakenOut() throws {
        let device = try TestDevice.synced(["f/x": "1"], directories: ["d", "d/e", "f"])
        device.disk.setFlag(true, "d/e")
        try device.up()
        device.disk.rename("f", to: "d/e/f")
        device.disk.rename("d", to: "f")
        #expect(try device.lines().sorted() == ["move d -> /f", "withdraw f", "withdraw x"])
    }

    /// The flag comes and goes while the store is away.
    @Test func whatWasNotedInADirectoryThatWasFlaggedForAMomentIsTold() throws {
        let device = try TestDevice.synced(["d/a": "1"], directories: ["d"])
        device.disk.write("2", to: "d/b")
        device.disk.makeDirectory("d/f")
        device.disk.setFlag(true, "d")
        // That was just after the changes were taken.
        device.disk.changes.paths.remove("d")
        #expect(try device.up().drafts.isEmpty)
        device.disk.setFlag(false, "d")
        #expect(try device.lines().sorted() == ["create d/b", "create d/f"])
        try device.up()
        #expect(device.touched.isEmpty)
    }

    @Test func aLookThroughADirectoryThatWasFlaggedForAMomentIsStillDue() throws {
        let device = try TestDevice.synced(["d/a": "1"], directories: ["d"])
        device.disk.setFlag(true, "d")
        device.touched.whole = ["d"]
        #expect(try device.planUp().rest.whole == ["d"])
        for _ in 0..<2 { try device.up() }
        #expect(device.touched.isEmpty)
    }

    @Test func whatWasNotedInADirectoryIsForgottenOnceItsFlagWasTold() throws {
        let device = try TestDevice.synced(["d/a": "1"], directories: ["d"])
        device.disk.write("2", to: "d/b")
        device.disk.setFlag(true, "d")
        #expect(try device.lines().sorted() == ["withdraw a", "withdraw d"])
        for _ in 0..<2 { try device.up() }
        #expect(device.touched.isEmpty)
        device.disk.setFlag(false, "d")
        #expect(try device.lines().sorted() == ["create d", "create d/a", "create d/b"])
    }

    @Test func whatIsMovedOutOfDocumentsIsWithdrawnAndComesBackAsANewItem() throws {
        let device = try TestDevice.synced(["a": "1", "d/b": "2"], directories: ["d"])
        let old = try #require(try device.row("a"))
        device.disk.moveOut("a", as: "a")
        device.disk.moveOut("d", as: "d")
        let plan = try device.planUp()
        #expect(try device.lines(plan).sorted() == ["withdraw a", "withdraw b", "withdraw d"])
        #expect(plan.drafts.contains { $0.kind == .withdraw(contents: [old.revision].compactMap(\.self)) })
        try device.up()
        device.disk.moveIn("a", to: "again")
        let again = try device.planUp()
        #expect(try device.lines(again) == ["create again"])
        #expect(again.drafts.first?.file != old.file)
    }

    @Test func whatCameBackBeforeItWasToldWasOnlyRenamed() throws {
        let device = try TestDevice.synced(["a": "1"])
        device.disk.moveOut("a", as: "a")
        device.disk.moveIn("a", to: "b")
        #expect(try device.lines().sorted() == ["edit a", "move a -> /b"])
    }

    @Test func whatWasMovedOutAndThenDeletedIsDeleted() throws {
        let device = try TestDevice.synced(["a": "1", "d/b": "2", "d/c": "3"], directories: ["d"])
        device.disk.moveOut("a", as: "a")
        device.disk.outside.entries["a"] = nil
        device.disk.delete("d/b")
        device.disk.moveOut("d", as: "d")
        let lines = try device.lines()
        #expect(lines.sorted() == ["delete a", "delete b", "withdraw c", "withdraw d"])
        #expect(lines.last == "withdraw d")
    }

    @Test func aMoveOutThatNobodySawIsFoundByARescan() throws {
        let device = try TestDevice.synced(["a": "1", "b": "2", "c": "3"])
        device.disk.moveOut("a", as: "a")
        device.disk.moveOut("b", as: "b")
        device.disk.changes = LocalChanges(everything: true)
        let plan = try device.planUp()
        #expect(try device.lines(plan) == ["withdraw a", "withdraw b"])
        #expect(plan.heldDeletes == 0)
    }

    @Test func whatWasMovedAwayUnseenLeftTheCloudAlsoWhereSomethingHasItsName() throws {
        let files = ["a": "1", "d/b": "2", "e/c": "3"]
        let device = try TestDevice.synced(files, directories: ["d", "e"])
        device.disk.moveOut("d", as: "d")
        device.disk.write("4", to: "d")
        device.disk.makeDirectory(".Trash")
        device.disk.rename("e", to: ".Trash/e")
        device.disk.link("5", at: "e")
        device.disk.changes = LocalChanges(everything: true)
        let told = Set(try device.lines())
        #expect(told.isSuperset(of: ["withdraw d", "withdraw b", "withdraw e", "withdraw c"]))
        #expect(told.allSatisfy { !$0.hasPrefix("delete") })
    }

    @Test func theRestOfTheHomeIsLookedAtOnlyWhereSomethingMayLieThere() throws {
        let device = try TestDevice.synced(["a": "1", "b": "2", "c": "3"])
        device.disk.delete("a")
        #expect(try device.lines() == ["delete a"])
        #expect(device.disk.departureLooks == 0)
    }

    @Test func whereTheRestOfTheHomeCannotBeReadNothingIsDeleted() throws {
        let device = try TestDevice.synced(["a": "1", "b": "2"])
        device.disk.moveOut("a", as: "a")
        device.disk.departureError = .failed(5)
        let plan = try device.planUp()
        #expect(plan.drafts.isEmpty)
        #expect(plan.retryLater == ["a"])
    }

    @Test func aNameThatWasGivenElsewhereTakesNothingOutHere() async throws {
        let cloud = TestCloud()
        let device = TestDevice(1, cloud)
        let revision = Revision(device: DeviceID(bits: 9), n: 1, index: 0)
        let attributes = Attributes(mode: 0o755, modified: 1)
        cloud.append(
            Batch(
                device: revision.device, n: 1,
                operations: [
                    .create(
                        Creation(
                            file: FileID(bits: 5), parent: .root, name: "d.nosync", content: .directory,
                            attributes: attributes))
                ]))
        try device.pull()
        try await device.down()
        device.touched = Touched(paths: ["d.nosync"], whole: [LocalPath()])
        #expect(try device.lines().isEmpty)
    }

    @Test func aFlaggedDirectoryTakesOutAllBelowIt() throws {
        let device = try TestDevice.synced(["d/a": "1", "d/e/b": "2", "c": "3"], directories: ["d", "d/e"])
        device.disk.setFlag(true, "d")
        #expect(try device.lines().sorted() == ["withdraw a", "withdraw b", "withdraw d", "withdraw e"])
        #expect(try device.lines().last == "withdraw d")
        try device.up()
        device.disk.write("4", to: "d/new")
        #expect(try device.lines().isEmpty)
    }

    @Test(arguments: [true, false])
    func whatIsWrittenToADisplacedFileThroughAFlaggedNameStays(holds: Bool) async throws {
        let rules = SafetyRules(removed: holds ? [] : [.flagsCoverDisplaced])
        let cloud = TestCloud()
        let (device, other) = (TestDevice(1, cloud, rules: rules), TestDevice(2, cloud))
        device.disk.write("1", to: "a")
        device.disk.makeDirectory("d")
        device.disk.setFlag(true, "d")
        device.disk.hardLink("a", to: "d/b")
        _ = try await convergeAll([device, other])
        other.disk.write("theirs", to: "a")
        try await other.round()
        device.disk.isStagingBusy = true
        try await device.round()
        device.disk.write("secret", to: "d/b")
        device.disk.isStagingBusy = false
        _ = try await convergeAll([device, other])
        #expect(cloud.holds("secret") != holds)
        #expect(device.disk.contents["d/b"] == "secret")
        #expect(device.disk.staging.isEmpty)
        if holds { #expect(device.disk.contents["a"] == "theirs") }
    }

    /// What was `a` and `b` here is only `b` now, and open; `a` is what the other device wrote.
    private func displaceLinkedFile(_ device: TestDevice, _ other: TestDevice) async throws {
        device.disk.write("1", to: "a")
        device.disk.hardLink("a", to: "b")
        _ = try await convergeAll([device, other])
        other.disk.write("theirs", to: "a")
        try await other.round()
        device.disk.isStagingBusy = true
        try await device.round()
    }

    /// The flag is the file's, whichever of its names it was set through, and stays when that one is removed.
    @Test(arguments: [true, false])
    func whatIsWrittenToADisplacedFileThatWasFlaggedAndRemovedStays(holds: Bool) async throws {
        let rules = SafetyRules(removed: holds ? [] : [.flagsCoverDisplaced])
        let cloud = TestCloud()
        let (device, other) = (TestDevice(1, cloud, rules: rules), TestDevice(2, cloud))
        try await displaceLinkedFile(device, other)
        device.disk.setFlag(true, "b")
        device.disk.write("secret", to: "b")
        device.disk.delete("b")
        device.disk.isStagingBusy = false
        _ = try await convergeAll([device, other])
        #expect(cloud.holds("secret") != holds)
        #expect(device.disk.staging.isEmpty)
    }

    @Test func whatIsWrittenToADisplacedFileThatHasAnotherOpenNameIsAnEdit() async throws {
        let cloud = TestCloud()
        let (device, other) = (TestDevice(1, cloud), TestDevice(2, cloud))
        try await displaceLinkedFile(device, other)
        device.disk.write("mine", to: "b")
        device.disk.isStagingBusy = false
        _ = try await convergeAll([device, other])
        let item = try #require(try device.row("a")).file
        let node = try #require(try device.storage.read { try $0.item(item) })
        #expect(node.contents.count == 2)
    }

    @Test func onlyWhoHoldsEveryByteTakesAnItemOut() throws {
        let device = try TestDevice.synced(["d/a": "1", "d/b": "2"], directories: ["d"])
        try device.makeDataless("d/b")
        device.disk.setFlag(true, "d")
        let plan = try device.planUp()
        #expect(plan.drafts.isEmpty)
        #expect(plan.retryLater == ["d"])
    }

    @Test func aDeleteNamesThePlaceAndWhatIsOnThisDisk() throws {
        let device = try TestDevice.synced(["a": "1"])
        let row = try #require(try device.row("a"))
        device.disk.delete("a")
        let kind = try device.planUp().drafts.first?.kind
        #expect(kind == .delete(place: row.place, contents: [try #require(row.revision)]))
    }

    @Test func aMoveIntoAnExcludedDirectoryThatNobodySawIsFoundByARescan() throws {
        let device = try TestDevice.synced(
            ["a": "1", "d/b": "2", "c": "3", "e": "4", "f": "5"], directories: ["d", ".Trash"])
        device.disk.makeDirectory("away.nosync")
        device.disk.rename("a", to: ".Trash/a")
        device.disk.rename("d", to: "away.nosync/d")
        device.disk.delete("c")
        device.disk.changes = LocalChanges(everything: true)
        let lines = try device.lines()
        #expect(lines.sorted() == ["delete c", "withdraw a", "withdraw b", "withdraw d"])
    }

    @Test func aMoveIntoAFlaggedDirectoryThatNobodySawIsFoundByARescan() throws {
        let device = try TestDevice.synced(["a": "1", "c": "3", "e": "4"])
        device.disk.makeDirectory("d")
        device.disk.setFlag(true, "d")
        device.disk.rename("a", to: "d/a")
        device.disk.changes = LocalChanges(everything: true)
        #expect(try device.lines() == ["withdraw a"])
    }

    @Test func aDirectoryGoesAfterWhatItHeld() throws {
        let device = try TestDevice.synced(["d/e/a": "1"], directories: ["d", "d/e"])
        device.disk.delete("d")
        #expect(try device.lines() == ["delete a", "delete e", "delete d"])
    }

    @Test func aDirectoryMovedOutOfADeletedOneIsSavedFirst() throws {
        let device = try TestDevice.synced(["d/e/a": "1"], directories: ["d", "d/e"])
        device.disk.rename("d/e", to: "x")
        device.disk.delete("d")
        device.disk.rename("x", to: "d")
        let lines = try device.lines()
        #expect(lines.count == 3)
        #expect(lines.first == "park e")
        #expect(lines.suffix(2) == ["delete d", "move e -> /d"])
    }

    @Test func inferredDeletesOverHalfAskFirst() throws {
        let device = try TestDevice.synced(["a": "1", "b": "2", "c": "3"])
        device.disk.delete("a")
        device.disk.delete("b")
        device.disk.changes = LocalChanges(everything: true)
        let plan = try device.planUp()
        #expect(plan.drafts.isEmpty)
        #expect(plan.heldDeletes == 2)
        #expect(try device.planUp(isConfirmed: true).drafts.count == 2)
    }

    @Test func aFewInferredDeletesAreTold() throws {
        let device = try TestDevice.synced(["a": "1", "b": "2", "c": "3"])
        device.disk.delete("a")
        device.disk.changes = LocalChanges(everything: true)
        #expect(try device.lines() == ["delete a"])
    }

    @Test func overAThousandInferredDeletesAskFirst() throws {
        let files = Dictionary(uniqueKeysWithValues: (0..<2500).map { ("\($0)", "") })
        let device = try TestDevice.synced(files)
        for index in 0..<1001 { device.disk.delete(LocalPath(["\(index)"])) }
        device.disk.changes = LocalChanges(everything: true)
        #expect(try device.planUp().heldDeletes == 1001)
    }

    @Test func withoutTheGuardAnEmptyDiskEmptiesTheCloud() throws {
        let device = try TestDevice.synced(
            ["a": "1", "b": "2"], rules: SafetyRules(removed: [.massDeletesAsk]))
        device.disk.delete("a")
        device.disk.delete("b")
        device.disk.changes = LocalChanges(everything: true)
        #expect(
            try device.lines() == ["delete a", "delete b"] || device.lines() == ["delete b", "delete a"])
    }

    @Test func deletesThatWereSeenNeverAsk() throws {
        let device = try TestDevice.synced(["a": "1", "b": "2"])
        device.disk.delete("a")
        device.disk.delete("b")
        let plan = try device.planUp()
        #expect(plan.drafts.count == 2)
        #expect(plan.heldDeletes == 0)
    }

    @Test func aFileThatSomebodyWritesWaits() throws {
        let device = try TestDevice.synced(["a": "1"])
        device.disk.write("2", to: "a")
        device.disk.find("a")?.isBeingWritten = true
        device.disk.write("3", to: "b")
        device.disk.find("b")?.isBeingWritten = true
        let plan = try device.planUp()
        #expect(plan.drafts.isEmpty)
        #expect(plan.retryLater == ["a", "b"])
    }

    @Test func whatIsInADatabasesCompanionIsReadWithTheDatabase() throws {
        let device = try TestDevice.synced(["x.db": "1"])
        device.disk.write("pages", to: "x.db-wal")
        #expect(try device.lines() == ["edit x.db"])
        device.touched = Touched(whole: [LocalPath()])
        #expect(try device.lines() == ["edit x.db"])
    }

    @Test func aPlanThatIsCutOffConcludesNothingFromWhatItDidNotSee() throws {
        let device = try TestDevice.synced(["a": "1", "keep": "2", "more": "3"], directories: ["d"])
        device.disk.rename("a", to: "d/a")
        for index in 0..<20 { device.disk.write("", to: LocalPath(["\(index)"])) }
        device.disk.changes = LocalChanges(everything: true)
        device.touched = Touched(whole: [LocalPath()])
        let plan = try device.storage.read { transaction in
            try UpPlanner(transaction, disk: device.disk, rules: .all, limit: 3) { FileID(bits: 77) }
                .plan(device.touched)
        }
        #expect(plan.isCutOff)
        #expect(!plan.drafts.contains { if case .delete = $0.kind { true } else { false } })
    }
}
