import Foundation
import TestKit
import Testing

/// `cloud rm --forever` on the command line.
@Suite struct CloudRemovalTests {
    /// What only this device has is no matter of the cloud's, and without the store nothing is deleted.
    @Test func whatCannotBeTakenOutStays() throws {
        let devices = try TwoDevices()
        try "mine".write(toFile: devices.place.path + "/s", atomically: false, encoding: .utf8)
        func run(_ words: String...) throws -> Outcome { try apphome(words, in: devices.first) }
        for name in ["a", "b.tmp"] {
            #expect(try run("share", "put", "Notes", devices.place.path + "/s", "--as", name).status == 0)
        }
        #expect(try run("cloud", "sync", "Notes", "--wait").status == 0)
        let local = try run("cloud", "rm", "Notes", "b.tmp", "--forever", "--yes")
        #expect(local.status == 1 && local.errors.contains("no b.tmp in the cloud"), "\(local)")
        try FileManager.default.moveItem(atPath: devices.store, toPath: devices.store + "-away")
        let away = try run("cloud", "rm", "Notes", "a", "--forever", "--yes")
        #expect(away.status == 1 && away.errors.contains("nothing was deleted"), "\(away)")
        let listed = try run("share", "ls", "Notes").output
        #expect(listed.contains("a\n") && listed.contains("b.tmp\n"), "\(listed)")
    }

    @Test func whatIsRemovedForEverIsAskedAboutAndNotKept() throws {
        let devices = try TwoDevices()
        try "secret".write(toFile: devices.place.path + "/s", atomically: false, encoding: .utf8)
        func run(_ words: String...) throws -> Outcome { try apphome(words, in: devices.first) }
        for name in ["a", "d"] {
            #expect(try run("cp", devices.place.path + "/s", "Notes:Documents/\(name)").status == 0)
        }
        #expect(try run("cloud", "sync", "Notes", "--wait").status == 0)
        let unasked = try run("cloud", "rm", "Notes", "a", "--forever")
        #expect(unasked.status == 1 && unasked.errors.contains("give --yes to delete a"), "\(unasked)")
        #expect(try run("cloud", "ls", "Notes").output.contains(" a\n"))
        // One that is there, and one that was deleted before: both have the same bytes.
        #expect(try run("cloud", "rm", "Notes", "d").status == 0)
        let first = try run("cloud", "rm", "Notes", "a", "--forever", "--yes")
        #expect(first.status == 0 && first.output.contains("1 content of it stays longer"), "\(first)")
        let both = try run("cloud", "rm", "Notes", "d", "--forever", "--yes")
        #expect(both.status == 0 && both.output.contains("of it stays longer"), "\(both)")
        #expect(try run("cloud", "ls", "Notes").output == "")
        let log = try run("cloud", "log", "Notes").output.split(separator: "\n")
        #expect(log.filter { $0.contains(" end-history ") }.map { $0.suffix(2) } == [" a", " d"], "\(log)")
        let nothing = try run("cloud", "rm", "Notes", "x", "--forever", "--yes")
        #expect(nothing.status == 1 && nothing.errors.contains("nothing of it is kept"), "\(nothing)")
        #expect(try apphome("cloud", "sync", "Notes", "--wait", in: devices.second).status == 0)
        #expect(try apphome("cloud", "ls", "Notes", in: devices.second).output == "")
    }
}
