import CloudStore
import CloudSync
import Testing

@testable import SyncLog

/// Contents of withdrawn items that nobody named: the sender brings them to its disk and names them (SYNC.md
/// 3 "Leaving the cloud").
struct UnnamedTests {
    /// Two devices that have the same documents.
    private func pair(_ files: [String: String], directories: [LocalPath] = []) async throws
        -> (TestDevice, TestDevice)
    {
        let first = try TestDevice.synced(files, directories: directories)
        let second = TestDevice(2, first.cloud)
        _ = try await convergeAll([first, second])
        #expect(second.disk.contents == first.disk.contents)
        return (first, second)
    }

    private func unnamed(_ device: TestDevice) throws -> Int {
        try device.storage.read { tree in
            try tree.nodes(after: nil, limit: 1000).filter { $0.state == .withdrawn }
                .flatMap(\.contents).count { $0.withdrawn == nil }
        }
    }

    @Test func anEditThatTheSenderHadNotSeenIsKeptFlaggedAndNamed() async throws {
        let (sender, other) = try await pair(["a": "1"])
        other.disk.write("2", to: "a")
        try other.up()
        sender.disk.setFlag(true, "a")
        try sender.up()
        #expect(try await convergeAll([sender, other]) < 100)
        #expect(sender.disk.contents == ["a": "1", "a (cloud)": "2"])
        #expect(sender.disk.find("a (cloud)")?.isFlagged == true)
        #expect(other.disk.contents == ["a": "2"])
        #expect(other.disk.find("a")?.isFlagged == true)
        #expect(try unnamed(sender) == 0)
    }

    @Test func anEditOfWhatWasMovedOutComesToItsOldName() async throws {
        let (sender, other) = try await pair(["d/a": "1", "d/b": "2"], directories: ["d"])
        sender.disk.moveOut("d/a", as: "a")
        try sender.up()
        other.disk.write("3", to: "d/a")
        try other.up()
        #expect(try await convergeAll([sender, other]) < 100)
        #expect(sender.disk.contents == ["d": "/", "d/a": "3", "d/b": "2"])
        #expect(sender.disk.find("d/a")?.isFlagged == true)
        #expect(try unnamed(sender) == 0)
    }

    @Test func whatOthersPutInAWithdrawnDirectoryIsNamedToo() async throws {
        let (sender, other) = try await pair(["d/a": "1"], directories: ["d"])
        other.disk.write("2", to: "d/new")
        try other.up()
        sender.disk.moveOut("d", as: "d")
        try sender.up()
        #expect(try await convergeAll([sender, other]) < 100)
        #expect(sender.disk.contents == ["new": "2"])
        #expect(sender.disk.find("new")?.isFlagged == true)
        #expect(other.disk.contents == ["d": "/", "d/a": "1", "d/new": "2"])
        #expect(try unnamed(sender) == 0)
    }

    @Test func onlyTheSenderFetches() async throws {
        let (sender, other) = try await pair(["a": "1"])
        let third = TestDevice(3, sender.cloud)
        _ = try await convergeAll([sender, other, third])
        other.disk.write("2", to: "a")
        sender.disk.setFlag(true, "a")
        try sender.up()
        try other.up()
        #expect(try await convergeAll([sender, other, third]) < 100)
        #expect(third.disk.contents == ["a": "1"])
        #expect(other.disk.contents == ["a": "2"])
        #expect(sender.disk.contents == ["a": "1", "a (cloud)": "2"])
    }

    @Test func aSymlinkLeavesOtherDevicesAsNoFlagCouldKeepIt() async throws {
        let sender = try TestDevice.synced(["a": "1"])
        sender.disk.link("a", at: "l")
        let other = TestDevice(2, sender.cloud)
        _ = try await convergeAll([sender, other])
        sender.disk.moveOut("l", as: "l")
        #expect(try await convergeAll([sender, other]) < 100)
        #expect(other.disk.contents == ["a": "1"])
    }

    @Test func aHardLinkBesideAWithdrawnDirectoryStaysInTheCloud() async throws {
        let (sender, other) = try await pair(["d/a": "1"], directories: ["d"])
        other.disk.hardLink("d/a", to: "b")
        _ = try await convergeAll([sender, other])
        sender.disk.setFlag(true, "d")
        #expect(try await convergeAll([sender, other]) < 100)
        #expect(other.disk.find("b")?.isFlagged == false)
        #expect(other.disk.find("d")?.isFlagged == true)
        #expect(sender.disk.contents["b"] == "1")
    }
}
