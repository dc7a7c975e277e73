import Foundation
import TestKit
import Testing

/// Sync of what views of the whole device show.
@Suite(.serialized) struct FilesSyncTests {
    @Test func whatFilesShowsSyncsWithoutAHome() throws {
        let devices = try TwoDevices("--files")
        let files = try Self.mount(devices)
        // Before anybody looks there.
        #expect(try devices.place.run("cloud", "sync", "Notes", "--wait").status == 0)
        let backing = try Self.documents(of: devices.second)
        #expect(eventually { text(backing + "/here") == "here" })
        #expect(text(files + "/Notes/here") == "here")
        try "there".write(toFile: files + "/Notes/there", atomically: false, encoding: .utf8)
        #expect(eventually { text(devices.here + "/there") == "there" })
        // Installed beneath the view.
        for device in [devices.first, devices.second] {
            #expect(try apphome("new", "Later", "--files", in: device).status == 0)
        }
        try "later".write(toFile: files + "/Later/a", atomically: false, encoding: .utf8)
        let later = devices.place.path + "/later"
        #expect(try devices.place.run("mount", "Later", later).status == 0)
        #expect(eventually { text(later + "/Documents/a") == "later" })
        // The last that is written is up before the view is gone.
        try "last".write(toFile: files + "/Notes/last", atomically: false, encoding: .utf8)
        let unmounted = try apphome("unmount", files, in: devices.second)
        #expect(unmounted.status == 0 && unmounted.errors.isEmpty, "\(unmounted)")
        #expect(eventually { text(devices.here + "/last") == "last" })
    }

    @Test func aHomeWithoutSyncKeepsItsAppOutUntilItIsUnmounted() throws {
        let devices = try TwoDevices("--files")
        let files = try Self.mount(devices)
        let home = devices.place.path + "/two"
        #expect(eventually { text(files + "/Notes/here") == "here" })
        #expect(try apphome("mount", "Notes", home, "--no-sync", in: devices.second).status == 0)
        try "kept".write(toFile: files + "/Notes/kept", atomically: false, encoding: .utf8)
        #expect(try Self.isWatched(devices.second) == false)
        #expect(try apphome("unmount", home, in: devices.second).status == 0)
        #expect(eventually { text(devices.here + "/kept") == "kept" })
        #expect(try Self.isWatched(devices.second))
    }

    /// Mounts Notes' home on the first device, and Files on the second.
    private static func mount(_ devices: borrowing TwoDevices) throws -> String {
        let home = try apphome("mount", "Notes", devices.place.path + "/one", in: devices.first)
        #expect(home.status == 0, "\(home)")
        try "here".write(toFile: devices.here + "/here", atomically: false, encoding: .utf8)
        let files = devices.place.path + "/files-two"
        let mounted = try apphome("files", "mount", files, in: devices.second)
        #expect(mounted.status == 0, "\(mounted)")
        return files
    }

    /// Where an app's documents lie in the device's folder.
    private static func documents(of device: String) throws -> String {
        let info = try apphome("info", "Notes", "--json", in: device).object
        return try #require(info["home"] as? String) + "/Documents"
    }

    private static func isWatched(_ device: String) throws -> Bool {
        let status = try apphome("cloud", "status", "Notes", "--json", in: device).object
        let apps = try #require(status["apps"] as? [[String: Any]])
        return try #require(apps.first?["isWatched"] as? Bool)
    }
}
