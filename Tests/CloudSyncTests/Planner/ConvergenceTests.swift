import CloudSync
import Testing

@testable import SyncLog

/// What one device does comes to the other, and two that did it at once keep both (SYNC.md 3 to 5).
struct ConvergenceTests {
    let cloud = TestCloud()

    private func pair(rules: SafetyRules = .all) -> (TestDevice, TestDevice) {
        (TestDevice(1, cloud, rules: rules), TestDevice(2, cloud, rules: rules))
    }

    private func converge(_ devices: TestDevice...) async throws {
        let rounds = try await convergeAll(devices, rounds: 30)
        #expect(rounds < 30, "not at rest")
        for device in devices { #expect(device.disk.contents == devices[0].disk.contents) }
    }

    @Test func filesDirectoriesLinksModesAndTimesTravel() async throws {
        let (a, b) = pair()
        a.disk.makeDirectory("d")
        a.disk.write("1", to: "d/a")
        a.disk.setMode(0o600, "d/a")
        a.disk.link("a", at: "d/l")
        try await converge(a, b)
        #expect(b.disk.contents == ["d": "/", "d/a": "1", "d/l": "->a"])
        #expect(b.disk.find("d/a")?.attributes == a.disk.find("d/a")?.attributes)
        b.disk.write("2", to: "d/a")
        b.disk.setMode(0o700, "d")
        b.disk.link("b", at: "d/l")
        try await converge(a, b)
        #expect(a.disk.contents == ["d": "/", "d/a": "2", "d/l": "->b"])
        #expect(a.disk.find("d")?.mode == 0o700)
        a.disk.rename("d", to: "e")
        try await converge(a, b)
        #expect(b.disk.contents == ["e": "/", "e/a": "2", "e/l": "->b"])
        b.disk.delete("e")
        try await converge(a, b)
        #expect(a.disk.contents.isEmpty)
    }

    @Test func theTimeOfASymlinkTravelsAndThatOfADirectoryMakesNoTraffic() async throws {
        let (a, b) = pair()
        a.disk.makeDirectory("d")
        a.disk.link("x", at: "d/l")
        try await converge(a, b)
        let length = cloud.log.count
        a.disk.setTime(77, "d/l")
        a.disk.setTime(78, "d")
        try await converge(a, b)
        #expect(b.disk.find("d/l")?.modified == 77)
        #expect(cloud.log.count == length + 1)
        #expect(cloud.log.last?.batch.operations.count == 1)
    }

    @Test func bothEditsAreThereAsCurrentAndConflictVersion() async throws {
        let (a, b) = pair()
        a.disk.write("0", to: "f")
        try await converge(a, b)
        a.disk.save("A", to: "f")
        b.disk.write("B", to: "f")
        try await converge(a, b)
        let node = try #require(try a.storage.read { try $0.item(at: ["f"]) })
        #expect(node.contents.count == 2)
    }

    @Test func theSameNameMadeOnBothIsOneItem() async throws {
        let (a, b) = pair()
        a.disk.makeDirectory("d")
        a.disk.write("A", to: "d/f")
        b.disk.makeDirectory("d")
        b.disk.write("B", to: "d/f")
        b.disk.write("B", to: "d/g")
        try await converge(a, b)
        #expect(Set(a.disk.contents.keys) == ["d", "d/f", "d/g"])
        let node = try #require(try a.storage.read { try $0.item(at: ["d", "f"]) })
        #expect(node.contents.count == 2)
    }

    @Test func anEditBeatsADelete() async throws {
        let (a, b) = pair()
        a.disk.makeDirectory("d")
        a.disk.write("0", to: "d/f")
        try await converge(a, b)
        a.disk.delete("d")
        b.disk.write("B", to: "d/f")
        try await converge(a, b)
        #expect(a.disk.contents == ["d": "/", "d/f": "B"])
    }

    @Test func aDirectoryThatHoldsWhatNeverWasInTheCloudStaysUntilItIsEmpty() async throws {
        let (a, b) = pair()
        a.disk.makeDirectory("d")
        a.disk.write("0", to: "d/f")
        try await converge(a, b)
        b.disk.write("x", to: "d/x.tmp")
        a.disk.delete("d")
        _ = try await convergeAll([a, b], rounds: 10)
        #expect(b.disk.contents == ["d": "/", "d/x.tmp": "x"])
        #expect(a.disk.contents.isEmpty)
        b.disk.delete("d/x.tmp")
        try await converge(a, b)
        #expect(b.disk.contents.isEmpty)
    }

    @Test func aDocumentMadeInADirectoryThatWasDeletedRevivesIt() async throws {
        let (a, b) = pair()
        a.disk.makeDirectory("d")
        try await converge(a, b)
        a.disk.delete("d")
        b.disk.write("B", to: "d/new")
        try await converge(a, b)
        #expect(a.disk.contents == ["d": "/", "d/new": "B"])
    }

    @Test func namesThatChangedPlacesElsewhereChangePlacesHere() async throws {
        let (a, b) = pair()
        for name in ["d", "e", "f"] {
            a.disk.makeDirectory(LocalPath([name]))
            a.disk.write(name, to: LocalPath([name, "x"]))
        }
        try await converge(a, b)
        a.disk.exchange("d", "e")
        a.disk.exchange("e", "f")
        try await converge(a, b)
        #expect(b.disk.contents["d/x"] == a.disk.contents["d/x"])
        #expect(
            cloud.log.flatMap(\.batch.operations).allSatisfy { operation in
                if case .edit = operation { false } else { true }
            })
    }

    @Test func aDirectoryAndItsChildChangePlaces() async throws {
        let (a, b) = pair()
        a.disk.makeDirectory("d")
        a.disk.makeDirectory("d/e")
        a.disk.write("1", to: "d/e/x")
        try await converge(a, b)
        a.disk.rename("d/e", to: "t")
        a.disk.rename("d", to: "t/y")
        a.disk.rename("t", to: "d")
        try await converge(a, b)
        #expect(b.disk.contents == ["d": "/", "d/y": "/", "d/x": "1"])
    }

    @Test func aDirectoryThatBecameOneWithAnotherInItGivesItsNameToANewOne() async throws {
        let (a, b) = pair()
        for path: LocalPath in ["d", "d/y", "d/x"] { a.disk.makeDirectory(path) }
        a.disk.write("1", to: "d/f")
        try await converge(a, b)
        a.disk.makeDirectory("d/y/z")
        try a.up()
        // Meanwhile, there: a new `d`, and the old one below what was in it, under the name that is taken.
        b.disk.rename("d/y", to: "t")
        b.disk.rename("d", to: "t/z")
        b.disk.makeDirectory("d")
        b.disk.rename("t", to: "d/y")
        b.disk.rename("d/y/z/x", to: "d/x")
        try b.up()
        try await converge(a, b)
        #expect(b.disk.contents == ["d": "/", "d/y": "/", "d/x": "/", "d/y/z": "/", "d/y/z/f": "1"])
    }

    @Test func aFlaggedItemStaysHereAndThereAndLeavesTheCloud() async throws {
        let (a, b) = pair()
        a.disk.makeDirectory("d")
        a.disk.write("1", to: "d/f")
        try await converge(a, b)
        a.disk.setFlag(true, "d")
        _ = try await convergeAll([a, b], rounds: 10)
        #expect(b.disk.contents == ["d": "/", "d/f": "1"])
        #expect(b.disk.find("d")?.isFlagged == true)
        #expect(try b.storage.read { try $0.children(of: .root) }.isEmpty)
        #expect(try b.storage.read { try $0.syncedCount() } == 0)
    }

    /// All of a large one in one transaction would stop everything else for long.
    @Test func ofAFlaggedDirectoryAFewItemsAreForgottenAtATime() async throws {
        let (a, b) = pair()
        for path: LocalPath in ["d", "d/e"] { a.disk.makeDirectory(path) }
        for name in ["0", "1", "2", "3"] {
            for above in [["d"], ["d", "e"]] { a.disk.write("1", to: LocalPath(above + [name])) }
        }
        try await converge(a, b)
        a.disk.setFlag(true, "d")
        try a.up()
        try b.pull()
        b.downLimit = 3
        for left in [7, 4, 1, 0] {
            _ = try await b.apply(b.planDown())
            #expect(try b.storage.read { try $0.syncedCount() } == left)
        }
        #expect(b.disk.find("d")?.isFlagged == true)
        try await b.down()
        #expect(b.pending == 0)
        #expect(try b.planUp().drafts.isEmpty)
    }

    @Test func anExcludedItemKeepsItsNameAndTheClouds() async throws {
        let (a, b) = pair()
        b.disk.write("mine", to: "f.txt")
        b.disk.setFlag(true, "f.txt")
        a.disk.write("cloud", to: "f.txt")
        _ = try await convergeAll([a, b], rounds: 10)
        #expect(b.disk.contents == ["f.txt": "mine", "f (cloud).txt": "cloud"])
        b.disk.write("edited", to: "f (cloud).txt")
        _ = try await convergeAll([a, b], rounds: 10)
        #expect(a.disk.contents == ["f.txt": "edited"])
        b.disk.delete("f.txt")
        try await converge(a, b)
        #expect(b.disk.contents == ["f.txt": "edited"], "its own name is free again")
    }

    @Test func whatIsWrittenToADisplacedFileIsAnEditOfWhatItWas() async throws {
        let (a, b) = pair()
        a.disk.write("0", to: "f")
        try await converge(a, b)
        a.disk.write("A", to: "f")
        let open = try #require(b.disk.find("f"))
        b.disk.isStagingBusy = true
        _ = try await convergeAll([a, b], rounds: 1)
        #expect(b.disk.contents == ["f": "A"])
        let name = try #require(b.disk.staging.first { $0.value === open }?.key)
        open.bytes = Array("late".utf8)
        open.modified = b.disk.tick()
        b.disk.isStagingBusy = false
        try await converge(a, b)
        let node = try #require(try a.storage.read { try $0.item(at: ["f"]) })
        #expect(node.contents.count == 2)
        #expect(b.disk.staging[name] == nil, "it is dropped when its edit is durable")
    }

    @Test func aLocalChangeWinsItsPlaceUntilItWasTold() async throws {
        let (a, b) = pair()
        a.disk.write("0", to: "f")
        try await converge(a, b)
        a.disk.write("A", to: "f")
        try await a.round()
        b.disk.write("B", to: "f")
        try b.pull()
        try await b.down()
        #expect(b.disk.contents == ["f": "B"])
        #expect(b.touched.unseen.contains("f"))
    }

    @Test func anInferredDeleteThatWaitsKeepsTheCloudsItem() async throws {
        let (a, b) = pair()
        a.disk.write("0", to: "f")
        try await converge(a, b)
        b.disk.delete("f")
        b.disk.changes = LocalChanges(everything: true)
        _ = try await convergeAll([a, b], rounds: 5)
        #expect(a.disk.contents == ["f": "0"])
    }
}
