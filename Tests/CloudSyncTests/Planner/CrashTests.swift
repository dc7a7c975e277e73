import CloudSync
import Testing

@testable import SyncContent
@testable import SyncLog

/// A device dies at each step of applying, before it and right behind it, on the disk and in the database:
/// the next life ends where this one would have, and tells the others nothing (SYNC.md 4 step 5, 5).
struct CrashTests {
    enum Place: CaseIterable { case disk, storage }

    @Test(arguments: Place.allCases)
    func aKillAtAnyStepOfApplyingIsNoLocalChange(place: Place) async throws {
        for step in 0..<80 {
            let world = CrashWorld()
            try await world.prepare()
            let told = world.cloud.log.count
            guard try await world.crash(place, at: step) else { break }
            // What was put aside is nobody's delete either.
            #expect(try world.b.planUp().drafts.allSatisfy { !$0.isDelete }, "step \(step)")
            try await world.rest()
            #expect(world.isEqual, "step \(step)")
            #expect(world.cloud.log.count == told, "step \(step)")
        }
    }

    /// - Returns: whether some step was seen to go wrong without the rule.
    private func isMissed(_ rule: SafetyRule) async throws -> Bool {
        for place in Place.allCases {
            for step in 0..<80 {
                let world = CrashWorld(rules: SafetyRules(removed: [rule]))
                try await world.prepare()
                let told = world.cloud.log.count
                guard try await world.crash(place, at: step) else { break }
                try await world.rest()
                if !world.isEqual || world.cloud.log.count != told { return true }
            }
        }
        return false
    }

    @Test func withoutIntentionsAKillLooksLikeAPersonsDoing() async throws {
        #expect(try await isMissed(.intentionsAreJournaled))
    }

    @Test func syncedThatMovesBeforeTheBytesLosesThem() async throws {
        #expect(try await isMissed(.syncedMovesAfterBytes))
    }

    /// Two names of one file, and each gets another content.
    @Test func whatWasDisplacedFromAnotherNameIsNobodysEdit() async throws {
        for step in 0..<40 {
            let world = CrashWorld()
            let (a, b) = (world.a.disk, world.b.disk)
            for name: LocalPath in ["f", "g"] { a.write("0", to: name) }
            try await world.rest()
            b.hardLink("f", to: "g")
            try await world.rest()
            a.write("A", to: "f")
            a.write("B", to: "g")
            try await world.a.round()
            try world.b.pull()
            guard try await world.crash(.disk, at: step) else { break }
            try await world.rest()
            #expect(a.contents == ["f": "A", "g": "B"], "step \(step)")
            #expect(world.isEqual, "step \(step)")
        }
    }

    /// Whoever takes away what came takes nothing of what that displaced.
    @Test func whatWasDisplacedOutlivesTheRemovalOfWhatCame() async throws {
        var removals = 0
        for step in 0..<40 {
            let world = CrashWorld()
            let (a, b) = (world.a, world.b)
            a.disk.write("0", to: "f")
            try await world.rest()
            a.disk.write("A", to: "f")
            b.disk.write("B", to: "f")
            for device in [a, b] { try device.up() }
            try b.pull()
            let isCrash = try await world.crash(.disk, at: step) {
                guard b.disk.contents["f"] == "A" else { return }
                removals += 1
                b.disk.moveOut("f", as: "out")
            }
            guard isCrash else { break }
            try await world.rest()
            let node = try #require(try a.storage.read { try $0.item(at: ["f"]) }, "step \(step)")
            #expect(node.contents.contains { $0.content.isText("B") }, "step \(step)")
        }
        #expect(removals > 0)
    }

    /// Somebody still has open what was displaced: sync asks for it much later.
    @Test func whatWasDisplacedOutlivesAnEditOfWhatCameThoughItIsOpen() async throws {
        var edits = 0
        for step in 0..<40 {
            let world = CrashWorld()
            let (a, b) = (world.a, world.b)
            a.disk.write("0", to: "f")
            try await world.rest()
            a.disk.write("A", to: "f")
            b.disk.write("B", to: "f")
            for device in [a, b] { try device.up() }
            try b.pull()
            let isCrash = try await world.crash(.disk, at: step) {
                guard b.disk.contents["f"] == "A" else { return }
                edits += 1
                b.disk.isStagingBusy = true
                b.disk.write("C", to: "f")
            }
            guard isCrash else { break }
            try await world.rest()
            b.disk.isStagingBusy = false
            try await world.rest()
            let node = try #require(try a.storage.read { try $0.item(at: ["f"]) }, "step \(step)")
            #expect(node.contents.contains { $0.content.isText("B") }, "step \(step)")
        }
        #expect(edits > 0)
    }

    @Test func withoutComparingADisplacedFilesLateBytesAreLost() async throws {
        for rules in [SafetyRules.all, SafetyRules(removed: [.displacedFilesAreCompared])] {
            let world = CrashWorld(rules: rules)
            let (a, b) = (world.a, world.b)
            a.disk.write("0", to: "f")
            try await world.rest()
            a.disk.write("A", to: "f")
            try await a.round()
            let open = try #require(b.disk.find("f"))
            b.disk.isStagingBusy = true
            try b.pull()
            try await b.down()
            open.bytes = Array("late".utf8)
            (open.modified, open.changed) = (b.disk.tick(), b.disk.tick())
            b.disk.isStagingBusy = false
            try b.restart()
            try await world.rest()
            let node = try #require(try a.storage.read { try $0.item(at: ["f"]) })
            #expect(node.contents.count == (rules.removed.isEmpty ? 2 : 1))
        }
    }
}

extension Draft {
    var isDelete: Bool {
        if case .delete = kind { true } else { false }
    }
}

extension Content {
    fileprivate func isText(_ text: String) -> Bool {
        if case .file(let file) = self { file.hash == ContentHash(of: Array(text.utf8)) } else { false }
    }
}

final class CrashWorld {
    let cloud = TestCloud()
    let a: TestDevice
    let b: TestDevice

    init(rules: SafetyRules = .all) {
        a = TestDevice(1, cloud, rules: rules)
        b = TestDevice(2, cloud, rules: rules)
        b.isConfirmed = true
    }

    var isEqual: Bool { a.disk.contents == b.disk.contents && b.disk.staging.isEmpty }

    func rest() async throws {
        let rounds = try await convergeAll([a, b], rounds: 30)
        #expect(rounds < 30)
    }

    /// Of each kind of change one, in the log and not yet on the second device's disk.
    func prepare() async throws {
        let disk = a.disk
        for name in ["edited", "removed", "moved", "mode"] { disk.write(name, to: LocalPath([name])) }
        disk.link("1", at: "link")
        for name in ["twin", "lost"] { disk.write(name, to: LocalPath([name])) }
        for name in ["x", "y", "gone", "gone/in", "again"] {
            disk.makeDirectory(LocalPath(stringLiteral: name))
        }
        disk.write("in", to: "gone/in/f")
        disk.makeDirectory("nest")
        disk.write("nested", to: "nest/f")
        try await rest()
        disk.write("edited again", to: "edited")
        for path: LocalPath in ["removed", "again", "twin", "lost"] { disk.delete(path) }
        disk.rename("moved", to: "x/moved")
        disk.setMode(0o600, "mode")
        disk.link("2", at: "link")
        disk.exchange("x", "y")
        disk.rename("nest/f", to: "f")
        disk.delete("nest")
        disk.rename("f", to: "nest")
        disk.delete("gone")
        disk.makeDirectory("new")
        disk.write("new", to: "new/f")
        disk.link("new", at: "new/l")
        try await a.round()
        // Another item of the same looks, which takes the place of one in the same plan.
        disk.makeDirectory("again")
        disk.write("twin", to: "twin")
        disk.link("3", at: "lost")
        try await a.round()
        try b.pull()
        // It is gone there too, and nobody was told.
        b.disk.delete("lost")
    }

    /// - Returns: false where that step does not come any more.
    func crash(
        _ place: CrashTests.Place, at step: Int, meanwhile: () -> Void = {}
    ) async throws -> Bool {
        switch place {
        case .disk: b.disk.crashAt = b.disk.steps + step
        case .storage: b.storage.crashAt = b.storage.writes + step
        }
        do {
            try await b.down()
            try b.restart()
            return false
        } catch LocalError.ended {
            meanwhile()
            try b.restart()
            return true
        }
    }
}
