import Foundation
import GRDB
import Posix
import SandboxRules
import Testing

@testable import Device

/// What the daemon keeps apart for a container lies beside it, and lives as long as it does.
@Suite struct ContainerStagingTests {
    private static let group = "group.org.example"

    @Test(arguments: [nil, InstallStep.journaled, .dataPublished, .committed, .handedOver])
    func itStaysWithAnAppThatIsUpgradedAlsoWhereThatIsKilled(step: InstallStep?) throws {
        let scratch = try Scratch()
        try Self.keepOne(try Self.app(scratch), scratch)
        do {
            let ending = try scratch.device(endingAfter: step)
            _ = try? scratch.install(on: ending)
        }
        let device = try scratch.device()
        _ = try device.recover()
        let app = try #require(try device.apps().first)
        #expect(try Self.kept(of: app, device) == ["displaced"])
        #expect(scratch.names("device/\(Layout.containerStaging)").count == 1)
    }

    @Test func aRestoreBringsOneOfItsOwnAndGoingBackTheFormerOne() throws {
        let scratch = try Scratch()
        let app = try Self.app(scratch)
        try Self.keepOne(app, scratch)
        let device = try scratch.device()
        let staged = try device.stageRestore(of: app.bundleID, version: nil, groups: [])
        let coming = try device.openStaging(of: try #require(staged.containers.first))
        try FileTree.create(coming.raw, "brought", [])
        let restored = try device.publish(staged).app
        #expect(try device.recover() == [])
        #expect(try Self.kept(of: restored, device) == ["brought"])
        let back = try device.undoRestore(of: restored).app
        #expect(try Self.kept(of: back, device) == ["displaced"])
        #expect(try device.recover() == [])
        #expect(scratch.names("device/\(Layout.containerStaging)").count == 2)
    }

    @Test func itGoesWithTheApp() throws {
        let scratch = try Scratch()
        let app = try Self.app(scratch)
        try Self.keepOne(app, scratch)
        let device = try scratch.device()
        #expect(try device.uninstall(app) == [])
        scratch.expectNothingLeft()
    }

    @Test func thatOfARestoreThatDidNotComeGoes() throws {
        let scratch = try Scratch()
        let app = try Self.app(scratch)
        let device = try scratch.device()
        let staged = try device.stageRestore(of: app.bundleID, version: nil, groups: [])
        let coming = try device.openStaging(of: try #require(staged.containers.first))
        try FileTree.create(coming.raw, "brought", [])
        device.abandon(staged)
        #expect(scratch.names("device/\(Layout.containerStaging)") == [])
        // A process that was killed abandons nothing.
        try scratch.write("device/\(Layout.containerStaging)/\(UUID().uuidString)/brought")
        #expect(try device.recover() == [])
        #expect(scratch.names("device/\(Layout.containerStaging)") == [])
    }

    @Test func aDeviceOfAnEarlierVersionKeepsWhatItsContainersHeld() throws {
        let scratch = try Scratch()
        let app = try Self.app(scratch, groups: [Self.group])
        let container = try #require(try scratch.device().groupContainers().first)
        try Self.makeEarlier(scratch)
        try scratch.write(scratch.home(app, ".staging/sync-ab01"), Array("mine".utf8))
        try scratch.write("device/\(container.path)/.staging/1732368000000000000-4711/half")
        let replaced = UUID()
        try scratch.write("device/\(Layout.replacedContainer(replaced))/.staging/sync-ab02")
        let device = try scratch.device()
        #expect(try device.recover() == [])
        #expect(try Self.kept(of: app, device) == ["sync-ab01"])
        #expect(scratch.text("device/\(Layout.staging(of: app.dataContainer))/sync-ab01") == "mine")
        #expect(scratch.names("device/\(Layout.staging(of: replaced))") == ["sync-ab02"])
        #expect(!scratch.names(scratch.home(app)).contains(".staging"))
        #expect(!scratch.names("device/\(container.path)").contains(".staging"))
    }

    /// An app could move a folder of its own into a group's, and did not see it again.
    @Test func whatAnAppMovedIntoAGroupsFormerStagingIsSeenAgainAndStays() throws {
        let scratch = try Scratch()
        _ = try Self.app(scratch, groups: [Self.group])
        let container = try #require(try scratch.device().groupContainers().first)
        try Self.makeEarlier(scratch)
        try scratch.write("device/\(container.path)/.staging/Work/letter")
        for _ in 0..<2 { #expect(try scratch.device().recover() == []) }
        #expect(scratch.names("device/\(container.path)/.staging/Work") == ["letter"])
        // From now on the name is the apps'.
        try scratch.write("device/\(container.path)/.staging/1732368000000000000-4711/letter")
        #expect(try scratch.device().recover() == [])
        #expect(scratch.names("device/\(container.path)/.staging").count == 2)
    }

    private static func app(
        _ scratch: borrowing Scratch, groups: [String] = []
    ) throws -> InstalledApp {
        try scratch.bundle()
        let device = try scratch.device()
        let app = try scratch.install(on: device, entitlements: try entitlementsPlist(groups: groups)).app
        _ = try device.recover()
        return app
    }

    private static func keepOne(_ app: InstalledApp, _ scratch: borrowing Scratch) throws {
        let staging = try scratch.device().openStaging(of: app)
        try FileTree.create(staging.raw, "displaced", Array("mine".utf8))
    }

    private static func kept(of app: InstalledApp, _ device: Device) throws -> [String] {
        let staging = try device.openStaging(of: app)
        return try sortedNames(in: staging.raw)
    }

    /// As a version left the device that knew of no folders beside the containers.
    private static func makeEarlier(_ scratch: borrowing Scratch) throws {
        let catalogue = try DatabaseQueue(path: scratch.file("device/\(Layout.catalogue)"))
        try catalogue.write { try $0.execute(sql: "UPDATE containerFormat SET hasStagingApart = FALSE") }
        try catalogue.close()
        try FileManager.default.removeItem(atPath: scratch.file("device/\(Layout.containerStaging)"))
    }
}
