import CloudSync
import Testing

@testable import SyncLog

/// A directory is known by its inode: one that came under another's name is not moved, removed or flagged in
/// that one's place (SYNC.md 5 "Identity").
struct DirectoryIdentityTests {
    let cloud = TestCloud()

    private func pair(with directories: LocalPath...) async throws -> (TestDevice, TestDevice) {
        let (a, b) = (TestDevice(1, cloud), TestDevice(2, cloud))
        for path in directories { a.disk.makeDirectory(path) }
        try await converge(a, b)
        return (a, b)
    }

    private func converge(_ devices: TestDevice...) async throws {
        let rounds = try await convergeAll(devices, rounds: 30)
        #expect(rounds < 30, "not at rest")
        for device in devices { #expect(device.disk.contents == devices[0].disk.contents) }
    }

    private func file(at path: [String], on device: TestDevice) throws -> FileID {
        try #require(try device.storage.read { try $0.item(at: path) }).id
    }

    @Test(arguments: [false, true])
    func `One that is moved while it is looked for is seen to be half planned`(isNew: Bool) async throws {
        let (a, _) = isNew ? try await pair() : try await pair(with: "e")
        if isNew { a.disk.makeDirectory("d") } else { a.disk.rename("e", to: "d") }
        a.disk.write("text", to: "f")
        let disk = a.disk
        // After the look at the directory, and before that at the file.
        var looks = 0
        disk.onLook = {
            looks += 1
            guard disk.find("d")?.isDirectory ?? false, looks > 1 else { return }
            disk.onLook = {}
            disk.exchange("d", "f")
        }
        #expect(try a.planUp().isTorn)
        let again = try a.planUp()
        #expect(!again.isTorn)
        #expect(again.drafts.filter { $0.source == .directory }.count == (isNew ? 1 : 0))
    }

    /// Nothing is told of what changes outside Documents.
    @Test func whatChangedInOneWhileItWasElsewhereIsFoundWhenItIsBack() throws {
        let device = try TestDevice.synced(["d/a": "1", "d/b": "2"], directories: ["d"])
        device.disk.moveOut("d", as: "d")
        let away = try #require(device.disk.outside.entries["d"])
        (away.entries["a"], away.entries["c"]) = (nil, away.entries["a"])
        device.disk.moveIn("d", to: "d")
        let told = try device.lines()
        #expect(told == ["move a -> d/c"])
    }

    /// What was in it is told as gone in parts, and some of it was.
    @Test func oneThatIsBackWhileItsLeavingIsToldIsSyncedAsItIs() throws {
        let files = Dictionary(uniqueKeysWithValues: (0..<8).map { ("d/\($0)", "\($0)") })
        let device = try TestDevice.synced(files, directories: ["d"])
        device.planLimit = 3
        device.disk.moveOut("d", as: "d")
        let told = try device.up().drafts.map(\.path)
        #expect(told.count == 3)
        device.disk.moveIn("d", to: "d")
        var plans: [UpPlan] = []
        repeat { plans.append(try device.up()) } while !device.touched.isEmpty && plans.count < 20
        #expect(Set(plans.flatMap(\.drafts).map(\.path)) == Set(told))
    }

    @Test func whatLiesInAnotherOneThatHadItsNameMeanwhileIsNoChange() async throws {
        let (a, _) = try await pair(with: "d", "e")
        for path: LocalPath in ["d/f", "e/f"] { a.disk.write("\(path)", to: path) }
        try a.up()
        let disk = a.disk
        disk.exchange("d", "e")
        // Between the look at the directory and that at what it holds; and again before anything else.
        var looks = 0
        disk.onLook = {
            looks += 1
            if looks == 2 || looks == 3 { disk.exchange("d", "e") }
        }
        #expect(try a.planUp().drafts.allSatisfy { $0.source == nil } && looks > 3)
        disk.onLook = {}
        #expect(try a.planUp().drafts.allSatisfy { $0.source == nil })
    }

    @Test func oneThatWasPutOverADeletedOneStays() async throws {
        let (a, b) = try await pair(with: "d", "e")
        let d = try file(at: ["d"], on: b)
        a.disk.delete("e")
        try a.up()
        b.disk.rename("d", to: "e")
        try b.pull()
        try await b.down()
        #expect(b.disk.contents == ["e": "/"])
        try await converge(a, b)
        #expect(a.disk.contents == ["e": "/"])
        #expect(try file(at: ["e"], on: a) == d)
    }

    @Test func oneThatChangedNamesWithAMovedOneIsNotMoved() async throws {
        let (a, b) = try await pair(with: "d", "e")
        a.disk.rename("e", to: "d/e")
        try a.up()
        b.disk.exchange("d", "e")
        try b.pull()
        try await b.down()
        #expect(b.disk.contents == ["d": "/", "e": "/"])
        try await converge(a, b)
        #expect(b.disk.contents.count == 2)
    }

    @Test func oneThatChangedNamesWithAWithdrawnOneIsNotFlagged() async throws {
        let (a, b) = try await pair(with: "d", "e")
        a.disk.setFlag(true, "e")
        try a.up()
        b.disk.exchange("d", "e")
        try b.pull()
        try await b.down()
        #expect(b.disk.find("e")?.isFlagged == false)
        _ = try await convergeAll([a, b], rounds: 10)
        #expect(b.disk.find("e")?.isFlagged == false)
        #expect(b.disk.find("d")?.isFlagged == true)
    }

    @Test func oneThatWasMadeInPlaceOfALeftOneIsNew() async throws {
        let (a, b) = try await pair(with: "d")
        b.disk.write("x", to: "d/x.tmp")
        a.disk.delete("d")
        _ = try await convergeAll([a, b], rounds: 10)
        #expect(b.disk.contents == ["d": "/", "d/x.tmp": "x"])
        b.disk.delete("d")
        b.disk.makeDirectory("d")
        try await converge(a, b)
        #expect(a.disk.contents == ["d": "/"])
    }

    @Test func oneThatWasMadeAnewUnderAnExcludedNameFollowsTheCloud() async throws {
        let (a, b) = try await pair(with: "d")
        // Only a person who kept it under that name, on a device that did not know the rule, makes this.
        let d = try file(at: ["d"], on: a)
        cloud.append(
            Batch(
                device: DeviceID(bits: 9), n: 1, operations: [.move(file: d, parent: .root, name: "d.nosync")]
            ))
        try await converge(a, b)
        #expect(b.disk.contents == ["d.nosync": "/"])
        b.disk.delete("d.nosync")
        b.disk.makeDirectory("d.nosync")
        cloud.append(
            Batch(device: DeviceID(bits: 9), n: 2, operations: [.move(file: d, parent: .root, name: "e")]))
        try await converge(a, b)
        #expect(b.disk.contents == ["e": "/"])
    }

    @Test(arguments: [false, true]) func nothingComesIntoOneThatChangedNamesWithItsOwn(
        isMade: Bool
    ) async throws {
        let (a, b) = try await pair(with: "d", "e")
        if isMade { a.disk.makeDirectory("d/x") } else { a.disk.write("x", to: "d/x") }
        try a.up()
        b.disk.exchange("d", "e")
        b.disk.setFlag(true, "d")
        try b.pull()
        try await b.down()
        #expect(b.disk.find("d/x") == nil)
        _ = try await convergeAll([a, b], rounds: 10)
        #expect(b.disk.find("d/x") == nil)
        #expect(b.disk.find("e/x") != nil)
        #expect(try file(at: ["e", "x"], on: a) == file(at: ["e", "x"], on: b))
    }

    @Test func nothingComesIntoOneThatChangesNamesWithItsOwnMeanwhile() async throws {
        let (a, b) = try await pair(with: "d", "e")
        a.disk.write("x", to: "d/x")
        try a.up()
        try b.pull()
        let plan = try b.planDown()
        b.disk.exchange("d", "e")
        let applied = try await b.apply(plan)
        #expect(applied.changed.isEmpty)
        #expect(b.disk.contents == ["d": "/", "e": "/"])
        try await converge(a, b)
        #expect(b.disk.contents == ["d": "/", "e": "/", "e/x": "x"])
    }

    @Test func nothingIsMovedIntoOneThatChangesNamesWithItsOwnMeanwhile() async throws {
        let (a, b) = try await pair(with: "d", "e", "f")
        a.disk.rename("f", to: "d/f")
        try a.up()
        try b.pull()
        let plan = try b.planDown()
        b.disk.exchange("d", "e")
        _ = try await b.apply(plan)
        #expect(b.disk.contents == ["d": "/", "e": "/", "f": "/"])
        try await converge(a, b)
        #expect(b.disk.contents == ["d": "/", "e": "/", "e/f": "/"])
    }

    @Test func whatItHeldIsNotDeletedWhenItLiesBelowAFlagAndAnotherHasItsName() async throws {
        let (a, b) = try await pair(with: "d", "d/f", "e")
        a.disk.write("x", to: "d/x")
        try await converge(a, b)
        let (x, f) = (try file(at: ["d", "x"], on: b), try file(at: ["d", "f"], on: b))
        b.disk.rename("d", to: "e/d")
        b.disk.setFlag(true, "e")
        b.disk.makeDirectory("d")
        _ = b.disk.takeChanges()
        try b.restart()
        try b.up()
        try b.pull()
        #expect(try b.storage.read { try $0.item(x)?.state } == .withdrawn)
        #expect(try b.storage.read { try $0.item(f)?.state } == .withdrawn)
    }
}
