import Foundation
import TestKit
import Testing

/// `cloud status APP` says of each item that is not in the store what it waits for.
@Suite(.serialized) struct WaitingItemsTests {
    private struct Status: Decodable {
        struct Item: Decodable { let path: String, reason: String }
        struct App: Decodable { let waiting: [Item], excluded: [Item] }
        let apps: [App]
    }

    /// `PATH REASON` of what waits, and of what never goes.
    private func items(_ device: String) throws -> (waiting: [String], excluded: [String]) {
        let printed = try apphome("cloud", "status", "Notes", "--json", in: device)
        let apps = try JSONDecoder().decode(Status.self, from: printed.outputBytes).apps
        let line = { (item: Status.Item) in item.path + " " + item.reason }
        return (apps[0].waiting.map(line).sorted(), apps[0].excluded.map(line))
    }

    @Test func eachItemIsNamedWithItsOwnReason() throws {
        let devices = try TwoDevices()
        let (device, here) = (devices.first, devices.here)
        let home = devices.place.path + "/one"
        #expect(try apphome("device", "set", "quota", "10000", in: device).status == 0)
        #expect(try apphome("mount", "Notes", home, in: device).status == 0)
        #expect(mkdir(here + "/d", 0o755) == 0)
        try Data(repeating: 1, count: 50_000).write(to: URL(filePath: here + "/d/large"))
        try Data(repeating: 1, count: 10).write(to: URL(filePath: here + "/small"))
        for name in ["flagged", "b.tmp"] { try Data([1]).write(to: URL(filePath: here + "/" + name)) }
        #expect(try apphome("skip-backup", "set", here + "/flagged", in: device).status == 0)
        let open = open(here + "/open", O_RDWR | O_CREAT, 0o600)
        #expect(write(open, "x", 1) == 1)
        let expected = ["d/large quota", "open in-use"]
        #expect(try eventually { try items(device).waiting == expected })
        #expect(try items(device).waiting == expected)
        #expect(try items(device).excluded == ["b.tmp name", "flagged flagged"])
        let told = try apphome("cloud", "status", "Notes", in: device).output
        #expect(told.contains("  waits: d/large: the account's quota has no room for it"), "\(told)")
        #expect(told.contains("  does not sync: b.tmp: by its name"), "\(told)")
        // Of all apps together only the counts.
        #expect(try !apphome("cloud", "status", in: device).output.contains("d/large:"))
        close(open)
        #expect(try eventually { try items(device).waiting == ["d/large quota"] })

        #expect(try apphome("unmount", home, in: device).status == 0)
        #expect(try apphome("device", "set", "quota", "1G", in: device).status == 0)
        #expect(try items(device).waiting == ["d/large not-mounted"])
        #expect(try apphome("cloud", "pause", in: device).status == 0)
        #expect(try items(device).waiting == ["d/large paused"])
        #expect(try apphome("cloud", "resume", in: device).status == 0)
        #expect(try apphome("cloud", "sync", "Notes", "--wait", in: device).status == 0)
        #expect(try items(device).waiting == [])
    }

    @Test func deletesThatNobodySawAreNamed() throws {
        let devices = try TwoDevices()
        let device = devices.first
        let home = devices.place.path + "/one"
        #expect(try apphome("mount", "Notes", home, in: device).status == 0)
        for name in ["a", "b", "c"] { try Data([1]).write(to: URL(filePath: devices.here + "/" + name)) }
        #expect(try apphome("cloud", "sync", "Notes", "--wait", in: device).status == 0)
        #expect(try apphome("unmount", home, in: device).status == 0)
        // Behind every mount.
        let containers = device + "/Containers/Data/Application"
        let container = try #require(try names(containers).first)
        for name in ["a", "b"] { #expect(unlink("\(containers)/\(container)/Documents/\(name)") == 0) }
        #expect(try apphome("mount", "Notes", home, in: device).status == 0)
        let expected = ["a deletes-held", "b deletes-held"]
        #expect(try eventually { try items(device).waiting == expected })
    }
}
