import Foundation
import TestKit
import Testing

/// `cloud rm --forever` on the command line.
@Suite struct CloudRemovalTests {
    @Test func whatIsRemovedForEverIsAskedAboutAndNotKept() throws {
        let devices = try TwoDevices()
        try "secret".write(toFile: devices.place.path + "/s", atomically: false, encoding: .utf8)
        func run(_ words: String...) throws -> Outcome { try apphome(words, in: devices.first) }
        for name in ["a", "d"] {
            #expect(try run("cp", devices.place.path + "/s", "Notes:Documents/\(name)").status == 0)
        }
        #expect(try run("cloud", "sync", "Notes", "--wait").status == 0)
        let unasked = try run("cloud", "rm", "Notes", "a", "--forever")
        #expect(unasked.status == 1 && unasked.errors.contains("give --yes to lose a"), "\(unasked)")
        #expect(try run("cloud", "ls", "Notes").output.contains(" a\n"))
        // One that is there, and one that was deleted before.
        #expect(try run("cloud", "rm", "Notes", "d").status == 0)
        for name in ["a", "d"] {
            let removed = try run("cloud", "rm", "Notes", name, "--forever", "--yes")
            #expect(removed.status == 0 && removed.output.contains("seven days"), "\(removed)")
        }
        #expect(try run("cloud", "ls", "Notes").output == "")
        let log = try run("cloud", "log", "Notes").output.split(separator: "\n")
        #expect(log.filter { $0.contains(" end-history ") }.map { $0.suffix(2) } == [" a", " d"], "\(log)")
        let nothing = try run("cloud", "rm", "Notes", "b", "--forever", "--yes")
        #expect(nothing.status == 1 && nothing.errors.contains("nothing of it is kept"), "\(nothing)")
        #expect(try apphome("cloud", "sync", "Notes", "--wait", in: devices.second).status == 0)
        #expect(try apphome("cloud", "ls", "Notes", in: devices.second).output == "")
    }
}
