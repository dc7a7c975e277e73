import Foundation
import Testing
import Wire

@testable import apphome

/// How far the copying of a device is.
@Suite(.serialized) struct CloneProgressTests {
    @Test func itTellsTheBytesOfTheWholeAndWhatIsCopied() throws {
        let place = try Workplace()
        try place.run("new", "Notes")
        try place.run("cloud", "account", "none")
        let home = place.path + "/m"
        #expect(try place.run("mount", "Notes", home).status == 0)
        let file = URL(filePath: home + "/Documents/a")
        try Data(repeating: 1, count: 5_000_000).write(to: file)
        #expect(link(file.path, home + "/Documents/second-name") == 0)
        // A hole is not copied.
        let hole = open(home + "/Documents/hole", O_RDWR | O_CREAT, 0o600)
        #expect(ftruncate(hole, 1 << 30) == 0)
        close(hole)
        #expect(try place.run("unmount", home).status == 0)
        let isEnded = place.waitForDaemonsEnd()
        #expect(isEnded)

        var told: [Wire.Progress] = []
        let interrupt = try Interrupt()
        let copy = DeviceCopy(
            of: try HeldDevice(DeviceLocation(place.device)), to: try DeviceLocation(place.path + "/copy"))
        try copy.run(interrupt) { told.append($0) }
        // Before anything is copied.
        let first = try #require(told.first)
        let total = try #require(first.totalBytes)
        #expect(first.bytesDone == 0 && total > 5_000_000 && total < 10_000_000, "\(first)")
        let last = try #require(told.last)
        // What is shared with the source is not written.
        let names = try FileManager.default.subpathsOfDirectory(atPath: place.path + "/copy")
        let copied = try #require(names.first { $0.hasSuffix("Documents/a") })
        #expect(FileManager.default.contents(atPath: place.path + "/copy/" + copied)?.count == 5_000_000)
        #expect(last.bytesDone > 0 && last.bytesDone <= total, "\(last)")
        withExtendedLifetime(interrupt) {}
    }
}
