import TestKit
import Testing

@testable import CloudSync
@testable import SyncLog

/// SYNC.md 3 "What a delete names": what is on this disk or was shown, never what merely arrived in the log.
struct DeleteNamesTests {
    let cloud = TestCloud()

    /// Two devices that agree on `f`.
    private func pair(
        rules: SafetyRules = .all, storage: any SyncStorage = MemoryStorage()
    ) async throws -> (TestDevice, TestDevice) {
        let (a, b) = (
            TestDevice(1, cloud, rules: rules, storage: storage), TestDevice(2, cloud, rules: rules)
        )
        a.disk.write("0", to: "f")
        a.disk.write("other", to: "g")
        a.disk.write("third", to: "h")
        #expect(try await convergeAll([a, b], rounds: 30) < 30)
        return (a, b)
    }

    /// The edit of `a` is the current content, that of `b` a conflict version beside it.
    private func conflict(_ a: TestDevice, _ b: TestDevice) throws {
        a.disk.save("A", to: "f")
        b.disk.save("B", to: "f")
        try a.up()
        try b.up()
    }

    private func converged(_ devices: TestDevice...) async throws -> [String: String] {
        #expect(try await convergeAll(devices, rounds: 30) < 30)
        return devices[0].disk.contents
    }

    @Test func aVersionThatArrivedAfterTheDeleteOutlivesIt() async throws {
        let (a, b) = try await pair()
        try conflict(a, b)
        a.disk.delete("f")
        // The version and the plan that tells the delete come in one round.
        let contents = try await converged(a, b)
        #expect(contents["f"] == "B")
        #expect(b.disk.contents == contents)
    }

    @Test func withoutThatRuleItIsGoneUnseen() async throws {
        let (a, b) = try await pair(rules: SafetyRules(removed: [.deletesNameWhatWasShown]))
        try conflict(a, b)
        a.disk.delete("f")
        #expect(try await converged(a, b)["f"] == nil)
    }

    @Test func aVersionThatWasShownGoesWithTheItem() async throws {
        let (a, b) = try await pair()
        try conflict(a, b)
        #expect(try await converged(a, b)["f"] == "A")
        b.disk.delete("f")
        #expect(try await converged(a, b)["f"] == nil)
    }

    @Test(arguments: [true, false])
    func aVersionOfWhatWasExchangedOutlivesTheDeleteOfItsPath(_ isRuleHeld: Bool) async throws {
        let rules = SafetyRules(removed: isRuleHeld ? [] : [.movedFilesKeepVersions])
        let (a, b) = try await pair(rules: rules)
        try conflict(a, b)
        #expect(try await converged(a, b)["f"] == "A")
        // `g` has the file of `f` now, by its path still `g`; what was `g` leaves.
        b.disk.exchange("f", "g")
        b.disk.delete("f")
        let contents = try await converged(a, b)
        #expect(contents["g"] == "A")
        #expect((contents["f"] == "B") == isRuleHeld)
    }

    @Test func aVersionOfWhatWasExchangedOutlivesTheDeleteOfWhatCameForIt() async throws {
        let (a, b) = try await pair()
        try conflict(a, b)
        #expect(try await converged(a, b)["f"] == "A")
        b.disk.exchange("f", "g")
        // Somebody writes to it, so that only the other one is told.
        b.disk.find("f")?.isBeingWritten = true
        try b.up()
        b.disk.delete("f")
        let contents = try await converged(a, b)
        #expect(contents["g"] == "A")
        #expect(contents["f"] == "B")
    }

    @Test(arguments: [true, false])
    func aVersionOutlivesTheMoveOfWhatWasSavedInPlaceOfWhatWasSynced(_ isRuleHeld: Bool) async throws {
        let rules = SafetyRules(removed: isRuleHeld ? [] : [.movedFilesKeepVersions])
        let (a, b) = try await pair(rules: rules)
        try conflict(a, b)
        #expect(try await converged(a, b)["f"] == "A")
        // Nobody was told yet that another inode is `f` now: looked for is the one that was synced.
        a.disk.save("new", to: "f")
        a.disk.moveOut("f", as: "out")
        #expect((try await converged(a, b)["f"] == "B") == isRuleHeld)
    }

    @Test(arguments: [true, false])
    func aVersionOutlivesWhatWentWhileNobodyLooked(_ isRuleHeld: Bool) async throws {
        let rules = SafetyRules(removed: isRuleHeld ? [] : [.movedFilesKeepVersions])
        let (a, b) = try await pair(rules: rules, storage: MemoryStorage())
        try conflict(a, b)
        #expect(try await converged(a, b)["f"] == "A")
        a.disk.save("new", to: "f")
        a.disk.rename("f", to: "new")
        try a.restart()
        a.disk.changes = LocalChanges(everything: true)
        let contents = try await converged(a, b)
        #expect(contents["new"] == "new")
        #expect((contents["f"] == "B") == isRuleHeld)
    }

    @Test(arguments: [true, false])
    func aVersionThatCameBesideAnotherUntoldFileOutlivesIt(_ isRuleHeld: Bool) async throws {
        let rules = SafetyRules(removed: isRuleHeld ? [] : [.movedFilesKeepVersions])
        let (a, b) = try await pair(rules: rules)
        a.disk.link("target", at: "l")
        #expect(try await convergeAll([a, b], rounds: 30) < 30)
        try conflict(a, b)
        a.disk.delete("f")
        a.disk.rename("g", to: "f")
        a.disk.find("f")?.isBeingWritten = true
        try a.up()
        try a.pull()
        try await a.down()
        // By its name it was `f`, which nobody removed since the version came.
        a.disk.exchange("f", "l")
        a.disk.find("l")?.isBeingWritten = false
        #expect(try await converged(a, b).values.contains("B") == isRuleHeld)
    }

    @Test func aVersionThatCameWithTheDownloadWasShown() async throws {
        let (a, b) = try await pair()
        try conflict(a, b)
        _ = try await converged(a, b)
        let c = TestDevice(3, cloud)
        #expect(try await converged(c, a, b)["f"] == "A")
        c.disk.delete("f")
        #expect(try await converged(c, a, b)["f"] == nil)
    }

    @Test func aDeleteThatARescanFindsNamesWhatWasShownBeforeTheCrash() async throws {
        let folder = MemoryStorage()
        let (a, b) = try await pair(storage: folder)
        a.disk.save("A", to: "f")
        b.disk.save("B", to: "f")
        try a.up()
        a.disk.delete("f")
        // It dies before the delete was noticed; the version is there when it starts again.
        try b.up()
        try a.restart()
        a.disk.changes = LocalChanges(everything: true)
        #expect(try await converged(a, b)["f"] == "B")
    }

    @Test func whatWasShownIsKeptInTheRow() throws {
        let folder = try TemporaryFolder()
        var item = SyncedItem(
            file: FileID(bits: 7), parent: .root, name: "f",
            place: Revision(device: DeviceID(bits: 1), n: 1, index: 0), kind: .file, revision: nil, hash: nil,
            fingerprint: Fingerprint(
                device: 1, inode: 2, birth: 3, sizeBytes: 4, modified: 5, changed: 6),
            attributes: Attributes(mode: 0o644, modified: 1))
        let storage = try SQLiteStorage(path: "\(folder.path)/db")
        for shown in [[], [Revision(device: DeviceID(bits: 2), n: 9, index: 1)]] {
            item.shown = shown
            try storage.write { try $0.setSynced(item) }
            #expect(try storage.read { try $0.synced(item.file) } == item)
        }
    }
}
