import CloudSync
import Testing

@testable import SyncLog

/// What others move out of a directory while it is flagged here: what was written in it stays.
struct FlaggedMovesTests {
    @Test(arguments: [true, false])
    func whatOthersMoveOutOfADirectoryFlaggedHereIsTakenOutFirst(holds: Bool) async throws {
        let rules = SafetyRules(removed: holds ? [] : [.movesWaitForFlags])
        let cloud = TestCloud()
        let (device, other) = (TestDevice(1, cloud, rules: rules), TestDevice(2, cloud))
        device.disk.makeDirectory("d")
        device.disk.write("1", to: "d/a")
        _ = try await convergeAll([device, other])
        other.disk.rename("d/a", to: "a")
        try await other.round()
        device.disk.setFlag(true, "d")
        device.disk.write("secret", to: "d/a")
        _ = try await convergeAll([device, other])
        #expect(cloud.holds("secret") != holds)
        #expect(device.disk.contents["d/a"] == (holds ? "secret" : nil))
    }

    @Test(arguments: [true, false])
    func whatOthersMoveOutOfADirectoryThatBothFlaggedStaysThereAndComesAnew(holds: Bool) async throws {
        let rules = SafetyRules(removed: holds ? [] : [.movesWaitForFlags])
        let cloud = TestCloud()
        let (device, other) = (TestDevice(1, cloud, rules: rules), TestDevice(2, cloud))
        device.disk.makeDirectory("d")
        device.disk.write("1", to: "d/a")
        _ = try await convergeAll([device, other])
        other.disk.rename("d/a", to: "a")
        try await other.round()
        other.disk.setFlag(true, "d")
        try await other.round()
        device.disk.write("secret", to: "d/a")
        device.disk.setFlag(true, "d")
        _ = try await convergeAll([device, other])
        #expect(cloud.holds("secret") != holds)
        #expect(device.disk.contents["d/a"] == (holds ? "secret" : nil))
        #expect(device.disk.contents["a"] == (holds ? "1" : "secret"))
        #expect(other.disk.contents["a"] == (holds ? "1" : "secret"))
    }

    @Test(arguments: [true, false])
    func whatIsMovedInTheMomentInWhichItsDirectoryIsFlaggedGoesBack(holds: Bool) async throws {
        let rules = SafetyRules(removed: holds ? [] : [.movesWaitForFlags])
        let cloud = TestCloud()
        let (device, other) = (TestDevice(1, cloud, rules: rules), TestDevice(2, cloud))
        device.disk.makeDirectory("d")
        device.disk.write("1", to: "d/a")
        _ = try await convergeAll([device, other])
        other.disk.rename("d/a", to: "a")
        try await other.round()
        device.disk.write("secret", to: "d/a")
        device.disk.onMove = { disk in
            disk.onMove = { _ in }
            disk.setFlag(true, "d")
        }
        try device.pull()
        try await device.down()
        _ = try await convergeAll([device, other])
        #expect(cloud.holds("secret") != holds)
        #expect(device.disk.contents["d/a"] == (holds ? "secret" : nil))
    }
}
