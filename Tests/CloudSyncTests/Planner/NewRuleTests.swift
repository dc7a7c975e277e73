import CloudSync
import Testing

/// Documents that went up under names which a later version of the rule excludes.
struct NewRuleTests {
    @Test func aRuleThatNewlyExcludesANameTakesNothingFromOtherDevices() async throws {
        let cloud = TestCloud()
        let (device, other) = (TestDevice(1, cloud), TestDevice(2, cloud))
        device.disk.makeDirectory("d")
        for path: LocalPath in ["old", "d/old"] { device.disk.write("1", to: path) }
        _ = try await convergeAll([device, other])
        device.disk.namedOut = ["old"]
        // All is looked at again, as after an upgrade.
        device.touched = Touched(paths: ["old", "d/old"], whole: [LocalPath()])
        #expect(try device.lines().isEmpty)
        // What is written to it stays here, and what another device writes to the other one comes.
        device.disk.write("2", to: "old")
        other.disk.write("3", to: "d/old")
        _ = try await convergeAll([device, other])
        #expect(device.disk.contents == ["d": "/", "d/old": "3", "old": "2"])
        #expect(other.disk.contents == ["d": "/", "d/old": "3", "old": "1"])
        // A person's own delete is one, as of any document.
        device.disk.delete("d/old")
        #expect(try device.lines() == ["delete old"])
    }
}
