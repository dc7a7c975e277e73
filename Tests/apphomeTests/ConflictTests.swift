import Foundation
import TestKit
import Testing

@testable import sync_storm

/// Documents that were changed on several devices at once, and what people choose of them.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ConflictTests {
    @Test(arguments: [(StoreKind.folder, 10), (.seaweed, 4)])
    func ofWhatManyDevicesWroteNothingIsLostWhateverPeopleChoose(kind: StoreKind, count: Int) throws {
        let fleet = try Fleet(count, on: kind.store())
        try fleet.mountAll("--no-sync")
        try fleet.conflict(in: ["chosen", "disputed", "both"])
        let (one, two) = (fleet.devices[0], fleet.devices[1])
        let conflicts = try one.conflicts()
        #expect(conflicts.map(\.path).sorted() == ["both", "chosen", "disputed"])
        let texts = Set((0..<count).map { "device \($0)" })
        let hashes = Set(conflicts[0].versions.map(\.hash))
        for conflict in conflicts {
            #expect(conflict.versions.count == count && Set(conflict.versions.map(\.hash)) == hashes)
            #expect(conflict.versions.filter(\.isCurrent).count == 1)
        }
        #expect(hashes.count == count && hashes.contains(Self.hashOfThree))
        let ids = try ids(of: "disputed", conflicts, on: two)
        #expect(Set(ids.keys) == texts)
        let (second, third) = (try #require(ids["device 2"]), try #require(ids["device 3"]))
        // One device's choice is everybody's.
        try one.tell("cloud", "resolve", Fleet.app, "chosen", "--keep", "current")
        // Two at once choose two, and two keep both.
        atOnce(
            { _ = try? one.tell("cloud", "resolve", Fleet.app, "disputed", "--keep", second) },
            { _ = try? two.tell("cloud", "resolve", Fleet.app, "disputed", "--keep", third) })
        atOnce(
            { _ = try? one.tell("cloud", "resolve", Fleet.app, "both", "--keep", "both") },
            { _ = try? two.tell("cloud", "resolve", Fleet.app, "both", "--keep", "both") })
        // Then all are equal, contents and conflicts.
        #expect(try fleet.converge() == [])
        let last = fleet.devices[count - 1]
        #expect(try last.conflicts() == [])
        #expect(["device 2", "device 3"].contains(try contents(of: last.documents + "/disputed")))
        // What was not chosen is there for a while.
        #expect(try self.ids(of: "disputed", conflicts, on: last) == ids)
        let names = try TestKit.names(in: last.documents).filter { $0.hasPrefix("both") }
        #expect(names.count == count, "\(names)")
        #expect(names.filter { $0.contains("(conflict, ") }.count == count - 1)
        #expect(Set(try names.map { try contents(of: last.documents + "/" + $0) }) == texts)
        try fleet.unmountAll()
    }

    /// Of `device 3`.
    private static let hashOfThree = "bb6a7d0aa52ba096a1c18721cd9789c1221ebc4e1ac0b4fc79f446f7e9611062"

    @Test func withoutTheStoreNothingIsChosen() throws {
        let fleet = try Fleet(2, on: .folder)
        try fleet.mountAll("--no-sync")
        try fleet.conflict(in: ["a", "b"])
        let one = fleet.devices[0]
        let before = try one.conflicts()
        let id = try #require(before.first?.versions.first?.id)
        func resolve(_ path: String, _ keep: String) throws -> AppHomeProgram.Outcome {
            try one.run("cloud", "resolve", Fleet.app, path, "--keep", keep)
        }
        for (path, keep, status, word) in [
            ("a", "ffffffff", 1, "no version"), ("c", "both", 1, "no c in the cloud"),
            ("../a", "both", 64, "without . and .."),
        ] {
            let refused = try resolve(path, keep)
            #expect(refused.status == status && refused.errors.contains(word), "\(refused.errors)")
        }
        let store = fleet.folder + "/store"
        try FileManager.default.moveItem(atPath: store, toPath: store + "-away")
        for keep in ["current", "both", id] {
            let away = try resolve("a", keep)
            #expect(away.status == 1 && away.errors.contains("nothing was changed"), "\(away.errors)")
        }
        try FileManager.default.moveItem(atPath: store + "-away", toPath: store)
        #expect(try fleet.converge() == [])
        #expect(try one.conflicts() == before)
        // The beginning of a version's name is enough.
        let chosen = try resolve("a", String(id.prefix(8)))
        #expect(chosen.status == 0 && chosen.text.contains("kept for 30 days"), "\(chosen)")
        #expect(try one.conflicts().map(\.path) == ["b"])
        let again = try resolve("a", "current")
        #expect(again.status == 1 && again.errors.contains("has one version"), "\(again.errors)")
        try fleet.unmountAll()
    }

    /// The versions of a document by the texts that they hold.
    private func ids(
        of path: String, _ conflicts: [FleetDevice.Conflict], on device: FleetDevice
    ) throws -> [String: String] {
        let versions = conflicts.first { $0.path == path }?.versions ?? []
        let texts = try versions.map {
            (String(decoding: try device.contents(of: path, version: $0.id), as: UTF8.self), $0.id)
        }
        return Dictionary(texts, uniquingKeysWith: { $1 })
    }

    private func atOnce(_ bodies: @Sendable () -> Void...) {
        DispatchQueue.concurrentPerform(iterations: bodies.count) { bodies[$0]() }
    }
}
