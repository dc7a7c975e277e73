import CloudSync
import Testing

@testable import SyncLog

/// A circle of names whose middle is not reached: what was parked lies in Documents again, under a row that
/// says so (SYNC.md 3).
struct ParkingTests {
    /// The second has in the log, and not on its disk, that two directories changed places.
    private func exchanged() async throws -> (TestDevice, TestDevice) {
        let cloud = TestCloud()
        let (a, b) = (TestDevice(1, cloud), TestDevice(2, cloud))
        for name in ["d", "e"] {
            a.disk.makeDirectory(LocalPath([name]))
            a.disk.write(name, to: LocalPath([name, "x"]))
        }
        #expect(try await convergeAll([a, b], rounds: 30) < 30)
        a.disk.exchange("d", "e")
        try await a.round()
        try b.pull()
        return (a, b)
    }

    @Test func whatCannotGoOnLiesWhereItWasAgainAndNobodyIsTold() async throws {
        let (a, b) = try await exchanged()
        let told = a.cloud.log.count
        // An app takes the free name at once.
        b.disk.onLook = { [disk = b.disk] in
            guard let name = ["d", "e"].first(where: { disk.find(LocalPath([$0])) == nil }) else { return }
            disk.onLook = {}
            disk.link("1", at: LocalPath([name]))
        }
        let applied = try await b.apply(b.planDown())
        #expect(applied.parksInVain)
        #expect(b.disk.parking.entries.isEmpty && b.disk.ways.isEmpty)
        b.touched = Touched(unseen: applied.unseen, whole: applied.whole)
        #expect(Set(b.disk.contents.values) == ["/", "d", "e", "->1"])
        let drafts = try b.planUp().drafts
        #expect(drafts.count == 1 && drafts[0].source == .symlink(target: Array("1".utf8)))
        #expect(a.cloud.log.count == told)
        #expect(try await convergeAll([a, b], rounds: 30) < 30)
        #expect(a.disk.contents == b.disk.contents)
        #expect(Set(a.disk.contents.values) == ["/", "d", "e", "->1"])
    }

    @Test func aStartWithoutSyncShowsAllThatAKillLeftParkedAndSyncFollowsWhatBecameOfIt() async throws {
        var parkedOnce = false
        for step in 0..<20 {
            let (a, b) = try await exchanged()
            b.disk.crashAt = b.disk.steps + step
            guard (try? await b.down()) == nil else { break }
            b.disk.crashAt = nil
            parkedOnce = parkedOnce || !b.disk.parking.entries.isEmpty
            _ = try b.disk.bringBackParked()
            #expect(b.disk.contents.count == 4, "step \(step)")
            if step % 2 == 1, b.disk.find("d") != nil { b.disk.rename("d", to: "mine") }
            try b.restart()
            #expect(try b.planUp().drafts.allSatisfy { !$0.isDelete }, "step \(step)")
            #expect(try await convergeAll([a, b], rounds: 30) < 30)
            #expect(a.disk.contents == b.disk.contents, "step \(step)")
            #expect(Set(a.disk.contents.values) == ["/", "d", "e"], "step \(step)")
        }
        #expect(parkedOnce)
    }

    /// The person took its directory away meanwhile and made another one, and nobody moved anything there.
    @Test func whatComesBackIntoAnotherDirectoryIsNotToldAsMovedThere() async throws {
        var parkedOnce = false
        for step in 0..<20 {
            let cloud = TestCloud()
            let (a, b) = (TestDevice(1, cloud), TestDevice(2, cloud))
            for path: LocalPath in ["e", "e/l", "m"] { a.disk.makeDirectory(path) }
            a.disk.write("l", to: "e/l/x")
            a.disk.write("m", to: "m/x")
            #expect(try await convergeAll([a, b], rounds: 30) < 30)
            a.disk.exchange("e/l", "m")
            try await a.round()
            try b.pull()
            b.disk.crashAt = b.disk.steps + step
            guard (try? await b.down()) == nil else { break }
            b.disk.crashAt = nil
            guard b.disk.parking.entries.count == 1 else { continue }
            parkedOnce = true
            b.disk.delete("e")
            b.disk.makeDirectory("e")
            try b.restart()
            #expect(try b.planUp(isConfirmed: true).drafts.allSatisfy { $0.kind != .move }, "step \(step)")
            b.isConfirmed = true
            #expect(try await convergeAll([a, b], rounds: 30) < 30, "step \(step)")
            #expect(a.disk.contents == b.disk.contents, "step \(step)")
        }
        #expect(parkedOnce)
    }

    /// A power failure took back that another one came to its name, and not the row which says so.
    @Test func whatWasWrittenToOneThatLiesBesideItsNameAgainIsStillTold() async throws {
        var liesBeside = false
        // Which of the two is parked follows from their numbers.
        for (number, step) in (UInt64(1)...4).flatMap({ number in (0..<8).map { (number, $0) } }) {
            let cloud = TestCloud()
            let (a, b) = (TestDevice(number, cloud), TestDevice(9, cloud))
            a.disk.makeDirectory("d")
            a.disk.write("e", to: "e")
            #expect(try await convergeAll([a, b], rounds: 30) < 30)
            a.disk.exchange("d", "e")
            a.disk.write("new", to: "e/x")
            try await a.round()
            try b.pull()
            b.disk.write("edited", to: "e")
            _ = b.disk.takeChanges()
            b.disk.crashAt = b.disk.steps + step
            guard (try? await b.down()) == nil else { continue }
            b.disk.crashAt = nil
            for (name, other): (LocalPath, LocalPath) in [("d", "e"), ("e", "d")]
            where b.disk.parking.entries.count == 1 && b.disk.find(other) == nil {
                b.disk.rename(name, to: other)
            }
            try b.restart()
            liesBeside = liesBeside || b.disk.contents.keys.contains { $0.hasSuffix(" (cloud)") }
            #expect(try await convergeAll([a, b], rounds: 30) < 30, "step \(step)")
            #expect(Set(a.disk.contents.values) == ["/", "edited", "new"], "step \(step)")
            #expect(a.disk.contents == b.disk.contents, "step \(step)")
        }
        #expect(liesBeside)
    }

    @Test func whatCouldNotBeBroughtBackIsNotGone() async throws {
        let (_, b) = try await exchanged()
        let row = try #require(try b.storage.read { try $0.synced(in: .root, named: "d") })
        let parked = LocalPath(["/" + String(row.file.bits, radix: 16)])
        _ = try b.disk.move("d", to: parked, in: nil, expecting: row.fingerprint)
        var moved = row
        moved.name = parked.names[0]
        try b.storage.write { try $0.setSynced(moved) }
        b.touched = Touched(whole: [LocalPath()])
        #expect(try b.planUp(isConfirmed: true).drafts.isEmpty)
    }
}
