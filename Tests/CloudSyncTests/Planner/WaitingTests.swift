import CloudStore
import CloudSync
import Testing

/// Nothing waits for ever: for a name, for a directory to be empty, for an item that the tree has forgotten.
struct WaitingTests {
    private func pair(_ files: [String: String], directories: [LocalPath] = []) async throws
        -> (TestDevice, TestDevice)
    {
        let first = try TestDevice.synced(files, directories: directories)
        let second = TestDevice(2, first.cloud)
        _ = try await convergeAll([first, second])
        return (first, second)
    }

    /// Absence from the tree is never a delete (SYNC.md 3), and never a file that is here and in no tree.
    @Test func whatADeviceHoldsOfAForgottenItemIsToldAnew() async throws {
        let (first, second) = try await pair(["a": "1", "d/b": "2"], directories: ["d"])
        first.disk.delete("a")
        first.disk.delete("d/b")
        first.disk.delete("d")
        try first.up()
        first.cloud.passed = 200 * 86_400
        first.disk.write("3", to: "c")
        try first.up()
        #expect(try await convergeAll([first, second]) < 100)
        #expect(second.disk.contents == ["a": "1", "c": "3", "d": "/", "d/b": "2"])
        #expect(first.disk.contents == second.disk.contents)
    }

    /// What was new in it lies at the top of the tree, and its row had been placed somewhere that is none.
    @Test func whatLayInANewDirectoryOfAForgottenOneComesAnewWithIt() async throws {
        let (first, second) = try await pair(["c": "1"], directories: ["d"])
        first.disk.delete("d")
        try first.up()
        first.cloud.passed = 200 * 86_400
        second.disk.makeDirectory("d/e")
        second.disk.write("2", to: "d/e/a")
        try second.up()
        #expect(try await convergeAll([first, second]) < 100)
        #expect(
            second.disk.contents
                == ["c": "1", "d": "/", "d/e": "/", "d/e/a": "2", "e": "/", "e/a": "2"])
        #expect(first.disk.contents == second.disk.contents)
    }

    /// Without its row nobody would know what it is: it would lie here with no bytes for ever.
    @Test func aDatalessFileThatWasMovedMeanwhileGoesWithItsItem() async throws {
        let (first, second) = try await pair(["a": "1", "c": "2"])
        try second.makeDataless("a")
        first.disk.delete("a")
        try first.up()
        second.disk.rename("a", to: "b")
        #expect(try await convergeAll([first, second]) < 100)
        #expect(second.disk.contents == ["c": "2"])
        #expect(first.disk.contents == second.disk.contents)
    }

    @Test func aDatalessFileThatLeftMeanwhileKeepsNothingWaiting() async throws {
        let (first, second) = try await pair(["a": "1", "c": "2"])
        try second.makeDataless("a")
        first.disk.delete("a")
        try first.up()
        second.disk.moveOut("a", as: "a")
        #expect(try await convergeAll([first, second]) < 100)
        #expect(second.disk.contents == ["c": "2"])
    }

    /// Both made the same link, which is one item then, and the other one's person moved it out. Whichever of
    /// the two is looked at first: other items before it give it another number.
    @Test(arguments: 1...8) func aLinkThatBecameOneWithOneThatLeftGoesToo(others: Int) async throws {
        let (first, second) = try await pair([:])
        for number in 0..<others { first.disk.makeDirectory(LocalPath(["\(number)"])) }
        first.disk.link("c", at: "l")
        try first.up()
        second.disk.link("c", at: "l")
        try second.up()
        try await first.round()
        first.disk.moveOut("l", as: "l")
        try await first.round()
        try second.pull()
        let plan = try second.planDown()
        #expect(Set(plan.upToDate).isDisjoint(with: plan.deferred))
        try await second.down()
        try second.restart()
        #expect(try await convergeAll([first, second]) < 100)
        #expect(first.disk.contents["l"] == nil)
        #expect(second.disk.contents == first.disk.contents)
    }

    @Test func aDirectoryLingersWithOneBelowItAndGoesWithIt() async throws {
        let (first, second) = try await lingering()
        #expect(second.disk.contents == ["e": "/", "e/d": "/", "e/d/kept": "2"])
        second.disk.delete("e/d/kept")
        #expect(try await convergeAll([first, second]) < 100)
        #expect(second.disk.contents.isEmpty)
    }

    /// Nobody saw it become empty: the rescan does.
    @Test func aDirectoryThatLingersGoesAfterARestart() async throws {
        let (first, second) = try await lingering()
        second.disk.delete("e/d/kept")
        _ = second.disk.takeChanges()
        try second.restart()
        #expect(try await convergeAll([first, second]) < 100)
        #expect(second.disk.contents.isEmpty)
    }

    @Test func whoWantsTheNameOfWhatLingersLiesBesideItForAsLong() async throws {
        let (first, second) = try await lingering()
        first.disk.makeDirectory("e")
        first.disk.write("3", to: "e/new")
        #expect(try await convergeAll([first, second]) < 100)
        #expect(second.disk.contents["e (cloud)/new"] == "3")
        second.disk.delete("e/d/kept")
        #expect(try await convergeAll([first, second]) < 100)
        #expect(second.disk.contents == ["e": "/", "e/new": "3"])
    }

    /// Parked for the name it would go through apps' sight again and again, for the directory does not go.
    @Test func nothingIsParkedForTheNameOfWhatWillLinger() async throws {
        let (first, second) = try await pair(["d/e/a": "1"], directories: ["d", "d/e"])
        second.disk.write("2", to: "d/kept.tmp")
        first.disk.rename("d/e", to: "t")
        first.disk.delete("d")
        first.disk.rename("t", to: "d")
        try await first.round()
        try second.pull()
        #expect(try second.planDown().actions.allSatisfy { $0.kind != .park })
        #expect(try await convergeAll([first, second]) < 100)
        #expect(
            second.disk.contents == ["d": "/", "d/kept.tmp": "2", "d (cloud)": "/", "d (cloud)/a": "1"])
        second.disk.delete("d/kept.tmp")
        #expect(try await convergeAll([first, second]) < 100)
        #expect(second.disk.contents == ["d": "/", "d/a": "1"])
        #expect(first.disk.contents == second.disk.contents)
    }

    /// Whichever of them is looked at first: each waits for another, and all go together.
    @Test(arguments: UInt64(1)...16) func newDirectoriesTakeTheNameOfWhatGoesIntoThem(number: UInt64)
        async throws
    {
        let cloud = TestCloud()
        let (first, second) = (TestDevice(number, cloud), TestDevice(100, cloud))
        first.disk.write("1", to: "a")
        #expect(try await convergeAll([first, second]) < 100)
        for path: LocalPath in ["t", "t/a", "t/a/b"] { first.disk.makeDirectory(path) }
        first.disk.rename("a", to: "t/a/b/c")
        first.disk.rename("t", to: "a")
        #expect(try await convergeAll([first, second]) < 100)
        #expect(second.disk.contents == ["a": "/", "a/a": "/", "a/a/b": "/", "a/a/b/c": "1"])
    }

    /// It became one with another that was deleted since, and waits because its file changed.
    @Test func whatWaitsUnderTheNameOfAnItemThatItBecameIsLookedAtAgain() async throws {
        let cloud = TestCloud()
        let (first, second) = (TestDevice(1, cloud), TestDevice(2, cloud))
        for device in [first, second] {
            device.disk.write("1", to: "a")
            try device.up()
        }
        try await first.round()
        first.disk.delete("a")
        try await first.round()
        second.disk.hardLink("a", to: "b")
        #expect(try await convergeAll([first, second]) < 100)
        #expect(second.disk.contents == ["b": "1"])
        #expect(first.disk.contents == second.disk.contents)
    }

    /// A deleted directory that holds, two levels down, what is excluded on the second device.
    private func lingering() async throws -> (TestDevice, TestDevice) {
        let (first, second) = try await pair(["e/d/a": "1"], directories: ["e", "e/d"])
        second.disk.write("2", to: "e/d/kept")
        second.disk.setFlag(true, "e/d/kept")
        _ = try await convergeAll([first, second])
        for path: LocalPath in ["e/d/a", "e/d", "e"] { first.disk.delete(path) }
        #expect(try await convergeAll([first, second]) < 100)
        return (first, second)
    }

    /// Two rows of one name would hide each other, and the older one's delete would never be told.
    @Test func nothingTakesANameThatARowStillHas() async throws {
        let (first, second) = try await pair([:])
        // Its only document goes, which is the person's doing.
        second.isConfirmed = true
        first.disk.link("target", at: "l")
        try first.up()
        second.disk.write("1", to: "l")
        try second.up()
        try second.pull()
        let plan = try second.planDown()
        second.disk.delete("l")
        _ = try await second.apply(plan)
        #expect(second.disk.contents.isEmpty)
        #expect(try await convergeAll([first, second]) < 100)
        #expect(second.disk.contents == ["l": "->target"])
        #expect(first.disk.contents == second.disk.contents)
    }

    /// As above, where one plan gives the name to both, and an app removes the first between.
    @Test func nothingTakesANameThatWasTakenJustBefore() async throws {
        let (first, second) = try await pair([:])
        second.isConfirmed = true
        second.disk.write("mine", to: "a")
        second.disk.setFlag(true, "a")
        _ = try await convergeAll([first, second])
        first.disk.write("1", to: "a")
        first.disk.write("2", to: "a (cloud)")
        let disk = second.disk
        disk.onPlace = { path in
            guard disk.contents["a (cloud)"] == "1" else { return }
            disk.onPlace = { _ in }
            disk.delete(path)
        }
        #expect(try await convergeAll([first, second]) < 100)
        #expect(first.disk.contents == ["a (cloud)": "2"])
        #expect(disk.contents == ["a": "mine", "a (cloud)": "2"])
    }

    /// It was deleted in the cloud, and comes back under another name, for its own was taken.
    @Test func whatLiesBesideAnExcludedItemTakesTheNameThatItGetsInTheTree() async throws {
        let (first, second) = try await pair([:])
        second.disk.write("mine", to: "a")
        second.disk.setFlag(true, "a")
        first.disk.makeDirectory("a")
        first.disk.write("1", to: "a/b")
        _ = try await convergeAll([first, second])
        #expect(second.disk.contents == ["a": "mine", "a (cloud)": "/", "a (cloud)/b": "1"])
        first.disk.delete("a/b")
        first.disk.delete("a")
        try first.up()
        second.disk.write("2", to: "a (cloud)/c")
        second.disk.setFlag(false, "a")
        second.disk.write("kept", to: "a 2")
        second.disk.setFlag(true, "a 2")
        #expect(try await convergeAll([first, second]) < 100)
        #expect(first.disk.contents == ["a": "mine", "a 2": "/", "a 2/c": "2"])
        #expect(
            second.disk.contents == ["a": "mine", "a 2": "kept", "a 2 (cloud)": "/", "a 2 (cloud)/c": "2"])
    }
}
