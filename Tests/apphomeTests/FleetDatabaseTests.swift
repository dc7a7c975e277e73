import Foundation
import Glibc
import Posix
import TestKit
import Testing

@testable import sync_storm

/// Databases and mapped files, which nobody writes with a plain write, between two mounted devices.
@Suite(.serialized, .timeLimit(.minutes(5))) struct FleetDatabaseTests {
    @Test func twoWritersOfOneDatabaseAreTwoVersionsAndBothAreSound() throws {
        let fleet = try Fleet(2, on: .folder)
        let (one, two) = (fleet.devices[0], fleet.devices[1])
        try fleet.mountAll()
        let name = "/notes.sqlite"
        let table =
            "PRAGMA journal_mode=WAL; CREATE TABLE note (text TEXT); INSERT INTO note VALUES ('both');"
        _ = try SQLiteProgram.run(table, on: one.documents + name)
        #expect(try eventually { try texts(two.documents + name) == ["ok", "both"] })
        try fleet.unmountAll()
        try fleet.mountAll("--no-sync")
        for (device, word) in [(one, "one"), (two, "two")] {
            let rows = (0..<200).map { "INSERT INTO note VALUES ('\(word) \($0)');" }.joined()
            _ = try SQLiteProgram.run("BEGIN;\(rows)COMMIT;", on: device.documents + name)
        }
        try fleet.unmountAll()
        try fleet.mountAll()
        #expect(try fleet.converge() == [])
        let conflicts = try two.conflicts()
        #expect(conflicts.map(\.path) == ["notes.sqlite"])
        var found: Set<String> = []
        for version in conflicts.flatMap(\.versions) {
            let copy = fleet.folder + "/" + version.id
            try Data(try two.contents(of: "notes.sqlite", version: version.id)).write(to: URL(filePath: copy))
            let rows = try texts(copy)
            #expect(rows.first == "ok" && rows.count == 202)
            found.formUnion(rows.suffix(1))
        }
        #expect(found == ["one 199", "two 199"])
        let current = try texts(one.documents + name)
        #expect(try current.first == "ok" && texts(two.documents + name) == current)
    }

    /// What the check of the whole database says, and then its rows; nothing where it cannot be read.
    private func texts(_ path: String) throws -> [String] {
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        return try SQLiteProgram.run("PRAGMA integrity_check; SELECT text FROM note;", on: path)
    }

    @Test func whatIsStoredInAMappingComesToTheOtherDeviceThoughItIsHeldAndItsFileClosed() throws {
        let fleet = try Fleet(2, on: .folder)
        let (one, two) = (fleet.devices[0].documents + "/mapped", fleet.devices[1].documents + "/mapped")
        try fleet.mountAll()
        let count = 8192
        try write(String(repeating: "a", count: count), to: one)
        #expect(eventually { (try? contents(of: two))?.count == count })
        let file = open(one, O_RDWR)
        let mapping = try #require(mmap(nil, count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0))
        try #require(mapping != MAP_FAILED)
        defer { munmap(mapping, count) }
        close(file)
        mapping.initializeMemory(as: UInt8.self, repeating: UInt8(ascii: "b"), count: count)
        // Ten seconds without any call are what the contract speaks of.
        let later = Deadline(seconds: 10)
        while !later.hasPassed { usleep(100_000) }
        #expect(msync(mapping, count, MS_SYNC) == 0)
        // Nothing tells that it is whole but that it stands still for long.
        var seen: Set<String> = []
        let whole = String(repeating: "b", count: count)
        let hasCome = eventually(seconds: 60) {
            if let text = try? contents(of: two) { seen.insert(text) }
            return seen.contains(whole)
        }
        #expect(hasCome)
        #expect(seen.isSubset(of: [String(repeating: "a", count: count), whole]))
    }
}
