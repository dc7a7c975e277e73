import Foundation
import Posix
import SandboxRules
import Testing
import Wire

@testable import Device

/// Killed after any step of a removal, the device has the app whole, or nothing of it.
@Suite struct UninstallTests {
    @Test func anAppIsGoneWithItsDataItsSwitchAndWhatSyncRemembers() throws {
        let scratch = try Scratch()
        let (device, app) = try Self.filled(scratch)
        #expect(try device.uninstall(app) == [])
        try expectNothing(scratch, device)
    }

    @Test(arguments: RemovalStep.allCases)
    func aRemovalKilledAtAnyStepIsFinishedAtTheNextStart(step: RemovalStep) throws {
        let scratch = try Scratch()
        let app = try Self.filled(scratch).app
        do {
            let ending = try Self.device(scratch, endingAfter: step)
            #expect(throws: DeviceError.self) { try ending.uninstall(app) }
        }
        let device = try scratch.device()
        #expect(try device.recover().count == (step == .ended ? 0 : 1))
        try expectNothing(scratch, device)
        #expect(try device.recover() == [])
    }

    @Test func aRefusedRemovalLeavesAllAsItWas() throws {
        struct Refusal: Error {}
        let scratch = try Scratch()
        let (device, app) = try Self.filled(scratch)
        #expect(throws: DeviceError.self) { try device.uninstall(app) { throw Refusal() } }
        #expect(try device.apps() == [app])
        #expect(scratch.text(scratch.home(app, "Documents/letter")) == "dear")
        #expect(scratch.names(Self.cloud).count == 4)
    }

    /// Sync would take the new app's empty Documents for a delete of all.
    @Test func anAppThatIsInstalledAgainMeetsNothingOfWhatSyncRemembered() throws {
        let scratch = try Scratch()
        let app = try Self.filled(scratch).app
        let device = try Self.device(scratch, endingAfter: .committed)
        #expect(throws: DeviceError.self) { try device.uninstall(app) }
        _ = consume device
        let other = try scratch.device()
        try scratch.install(on: other)
        #expect(scratch.names(Self.cloud) == ["account.sqlite"])
        let installed = try #require(try other.apps().first)
        #expect(installed.dataContainer != app.dataContainer)
        #expect(try other.recover() == [])
        #expect(try other.apps() == [installed])
    }

    @Test func anAppThatWasReplacedMeanwhileIsNotRemoved() throws {
        let scratch = try Scratch()
        let (device, app) = try Self.filled(scratch)
        try scratch.install(on: device)
        #expect(throws: DeviceError.self) { try device.uninstall(app) }
        #expect(try device.apps().count == 1)
    }

    private static let cloud = "device/\(Layout.cloud)/0011"

    private static func filled(_ scratch: borrowing Scratch) throws -> (device: Device, app: InstalledApp) {
        try scratch.bundle()
        let device = try scratch.device()
        let app = try scratch.install(on: device).app
        try scratch.write(scratch.home(app, "Documents/letter"), Array("dear".utf8))
        try device.setCloud(of: app, isOn: false)
        _ = try device.makeCloudFolder(named: "0011")
        let database = Device.syncDatabase(of: app.bundleID)
        for name in ["account.sqlite", database, database + "-wal", database + "-shm"] {
            try scratch.write("\(cloud)/\(name)")
        }
        return (device, app)
    }

    private static func device(_ scratch: borrowing Scratch, endingAfter step: RemovalStep) throws -> Device {
        let folder = try DeviceFolder.create(at: scratch.file("device"))
        return try Device(directory: folder, owner: nil, limits: InstallLimits()) { removed in
            if removed == step { throw ProcessEnded() }
        } reached: { _ in
        }
    }

    private func expectNothing(_ scratch: borrowing Scratch, _ device: Device) throws {
        #expect(try device.apps().isEmpty)
        #expect(try device.appsWithoutCloud().isEmpty)
        #expect(scratch.names(Self.cloud) == ["account.sqlite"])
        scratch.expectNothingLeft()
    }
}
