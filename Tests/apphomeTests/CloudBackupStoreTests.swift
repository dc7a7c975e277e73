import Foundation
import Glibc
import TestKit
import Testing

@testable import sync_storm

/// Snapshots in the cloud on a real S3 server, and under a home that stays open.
@Suite(.serialized, .timeLimit(.minutes(5))) struct CloudBackupStoreTests {
    @Test(arguments: StoreKind.allCases)
    func snapshotsAreMadeListedKeptAndRestoredUnderAnOpenHome(kind: StoreKind) throws {
        let fleet = try Fleet(2, on: kind.store())
        let (one, two) = (fleet.devices[0], fleet.devices[1])
        try fleet.mountAll("--no-sync")
        // More than a pack.
        let large = Data(
            (0..<1_200_000).flatMap { _ in withUnsafeBytes(of: UInt64.random(in: 0 ... .max), Array.init) })
        try large.write(to: URL(filePath: one.documents + "/large"))
        try write("then", to: one.documents + "/a")
        try write("prefers", to: one.library + "/b")
        let first = try snapshot(one)
        try write("later", to: one.documents + "/a")
        try write("late", to: one.documents + "/late")
        let second = try snapshot(one)
        #expect(first < second)
        for device in fleet.devices {
            let listed = try device.tell("backup", "list", "--cloud")
            #expect(listed.contains(first) && listed.contains(second), "\(listed)")
        }

        let refused = try one.run("backup", "restore", "--cloud", "--at", first, Fleet.app)
        #expect(refused.status == 1 && refused.errors.contains("--remount"), "\(refused)")
        try one.tell("backup", "restore", "--cloud", "--at", first, Fleet.app, "--remount")
        #expect(try contents(of: one.documents + "/a") == "then")
        // It syncs: what the snapshot lacks is not deleted anywhere.
        #expect(try contents(of: one.documents + "/late") == "late")
        #expect(FileManager.default.contents(atPath: one.documents + "/large") == large)
        try one.tell("backup", "restore", "--undo", Fleet.app, "--remount")
        #expect(try contents(of: one.documents + "/a") == "later")
        #expect(try contents(of: one.documents + "/late") == "late")

        let pruned = try one.tell("backup", "create", "--cloud", "--keep", "2")
        #expect(pruned.contains("1 older snapshot went"), "\(pruned)")
        let gone = try one.run("backup", "restore", "--cloud", "--at", first, Fleet.app, "--remount")
        #expect(gone.status == 1 && gone.errors.contains("backup list --cloud"), "\(gone)")
        #expect(try contents(of: one.documents + "/a") == "later")
        try two.tell("backup", "restore", "--cloud", Fleet.app, "--remount")
        #expect(try contents(of: two.documents + "/a") == "later")
        #expect(try contents(of: two.library + "/b") == "prefers")
        #expect(FileManager.default.contents(atPath: two.documents + "/large") == large)
        try one.tell("cloud", "check")
    }

    /// - Returns: the time that it is named by.
    private func snapshot(_ device: FleetDevice) throws -> String {
        struct Made: Decodable { let name: String }
        let text = try device.tell("backup", "create", "--cloud", "--json")
        return try JSONDecoder().decode(Made.self, from: Data(text.utf8)).name
    }
}
