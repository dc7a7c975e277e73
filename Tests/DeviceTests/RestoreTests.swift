import Foundation
import Posix
import SandboxRules
import Testing
import Wire

@testable import Device

/// Killed after any step of a restore, the device has the old containers or the new ones, of the app and its
/// group alike.
@Suite struct RestoreTests {
    private static let group = "group.org.example"

    @Test func aRestoreReplacesTheContainersAndKeepsThem() throws {
        let scratch = try Scratch()
        let app = try Self.filled(scratch)
        let device = try scratch.device()
        let result = try Self.restore(app.bundleID, on: device)
        #expect(result.app.dataContainer != app.dataContainer && !result.app.isPlaceholder)
        try Self.expect("new", scratch, device)
        #expect(scratch.names("device/\(Layout.replaced)").count == 2)
        #expect(scratch.names("device/\(Layout.data)").count == 1)
        for name in ["tmp", "Library/Caches", "SystemData"] {
            #expect(scratch.names(scratch.home(result.app, name)) == [])
        }
    }

    @Test(arguments: RestoreStep.allCases)
    func aRestoreKilledAtAnyStepLeavesTheOldOrTheNewWhole(step: RestoreStep) throws {
        let scratch = try Scratch()
        let app = try Self.filled(scratch)
        // What was kept before goes with the second restore, and not sooner.
        try Self.restore(app.bundleID, on: scratch.device(), "first")
        do {
            let ending = try Self.device(scratch, endingAfter: step)
            #expect(throws: DeviceError.self) {
                try Self.restore(app.bundleID, on: ending)
                try ending.removeDiscarded()
            }
        }
        let device = try scratch.device()
        _ = try device.recover()
        try device.removeDiscarded()
        let isNew = ![RestoreStep.synchronized, .journaled, .published].contains(step)
        try Self.expect(isNew ? "new" : "first", scratch, device)
        #expect(scratch.names("device/\(Layout.replaced)").count == 2)
        for folder in [Layout.data, Layout.groups] { #expect(scratch.names("device/\(folder)").count == 1) }
        #expect(scratch.names("device/\(Layout.staging)") == [])
        #expect(try device.recover() == [])
        let back = try device.undoRestore(of: try #require(device.apps().first))
        #expect(back.app.bundleID == app.bundleID)
        try Self.expect(isNew ? "first" : "old", scratch, device)
    }

    @Test(arguments: RestoreStep.allCases)
    func goingBackKilledAtAnyStepLeavesTheOldOrTheNewWhole(step: RestoreStep) throws {
        let scratch = try Scratch()
        let app = try Self.filled(scratch)
        try Self.restore(app.bundleID, on: scratch.device())
        do {
            let ending = try Self.device(scratch, endingAfter: step)
            let restored = try #require(try ending.apps().first)
            if [.synchronized, .discarded].contains(step) { return }
            #expect(throws: DeviceError.self) { try ending.undoRestore(of: restored) }
        }
        let device = try scratch.device()
        _ = try device.recover()
        let isBack = ![RestoreStep.journaled, .published].contains(step)
        try Self.expect(isBack ? "old" : "new", scratch, device)
        #expect(scratch.names("device/\(Layout.replaced)").count == 2)
        _ = try device.undoRestore(of: try #require(device.apps().first))
        try Self.expect(isBack ? "new" : "old", scratch, device)
    }

    @Test func anAppThatIsNotThereBecomesAPlaceholderThatALaterInstallTakesOver() throws {
        let scratch = try Scratch()
        let device = try scratch.device()
        let id = try #require(BundleIdentifier("org.example.recipes"))
        let result = try Self.restore(id, on: device)
        #expect(result.app.isPlaceholder && result.app.version == "7")
        #expect(result.app.groups.map(\.value) == [Self.group])
        try Self.expect("new", scratch, device)
        try scratch.bundle()
        let installed = try scratch.install(on: device).app
        #expect(!installed.isPlaceholder)
        try Self.expect("new", scratch, device)
    }

    @Test func whatARestoreReplacedGoesWithItsApp() throws {
        let scratch = try Scratch()
        let app = try Self.filled(scratch)
        let device = try scratch.device()
        let restored = try Self.restore(app.bundleID, on: device).app
        #expect(try device.uninstall(restored) == [])
        #expect(scratch.names("device/\(Layout.replaced)") == [])
        scratch.expectNothingLeft()
        let again = try Self.restore(app.bundleID, on: device).app
        #expect(throws: DeviceError.self) { try device.undoRestore(of: again) }
    }

    @Test func whatNobodyCanGoBackToGoesAfterTheRestoreAndNothingElseDoes() throws {
        let scratch = try Scratch()
        let app = try Self.filled(scratch)
        let before = try scratch.device()
        for text in ["first", "second", "third"] { try Self.restore(app.bundleID, on: before, text) }
        var items = 0
        try before.removeDiscarded {
            items += 1
            return items < 3
        }
        // Neither a kill nor a recovery in the middle changes what can be had back.
        _ = consume before
        let device = try scratch.device()
        #expect(try device.recover() == [])
        #expect(scratch.names("device/\(Layout.replaced)").count > 2)
        let restored = try #require(device.apps().first)
        #expect(try device.undoRestore(of: restored).app.bundleID == app.bundleID)
        try Self.expect("second", scratch, device)
        try device.removeDiscarded()
        #expect(scratch.names("device/\(Layout.replaced)").count == 2)
        _ = try device.undoRestore(of: try #require(device.apps().first))
        try Self.expect("third", scratch, device)
    }

    @Test func whatIsForgottenCannotBeHadBackAlsoWhereNothingOfItIsRemovedYet() throws {
        let scratch = try Scratch()
        let app = try Self.filled(scratch)
        let before = try scratch.device()
        let restored = try Self.restore(app.bundleID, on: before).app
        let kept = try #require(try before.keptCopy(of: restored))
        // "old" in the app and in its group, beside what a container has by itself.
        #expect(kept.bytes >= 6 && kept.time > 0)
        try before.forget(kept, of: restored)
        _ = consume before
        let device = try scratch.device()
        #expect(try device.recover() == [])
        #expect(try device.keptCopy(of: restored) == nil)
        #expect(throws: DeviceError.self) { try device.undoRestore(of: restored) }
        #expect(throws: DeviceError.self) { try device.forget(kept, of: restored) }
        #expect(scratch.names("device/\(Layout.replaced)").count == 2)
        try device.removeDiscarded()
        #expect(scratch.names("device/\(Layout.replaced)") == [])
        try Self.expect("new", scratch, device)
    }

    @Test func whatNobodyCanGoBackToGoesAlsoWhenItsAppIsGone() throws {
        let scratch = try Scratch()
        let app = try Self.filled(scratch)
        let device = try scratch.device()
        for text in ["first", "second"] { try Self.restore(app.bundleID, on: device, text) }
        #expect(try device.uninstall(try #require(device.apps().first)) == [])
        try device.removeDiscarded()
        #expect(scratch.names("device/\(Layout.replaced)") == [])
        #expect(try device.recover() == [])
    }

    @Test func aRefusedRestoreLeavesAllAsItWas() throws {
        struct Refusal: Error {}
        let scratch = try Scratch()
        let app = try Self.filled(scratch)
        let device = try scratch.device()
        let staged = try device.stageRestore(of: app.bundleID, version: nil, groups: [])
        #expect(throws: DeviceError.self) { try device.publish(staged) { throw Refusal() } }
        device.abandon(staged)
        #expect(try device.apps() == [app])
        try Self.expect("old", scratch, device)
        #expect(scratch.names("device/\(Layout.staging)") == [])
    }

    /// An app with a group, "old" in both.
    private static func filled(_ scratch: borrowing Scratch) throws -> InstalledApp {
        try scratch.bundle()
        let device = try scratch.device()
        let app = try scratch.install(on: device, entitlements: try entitlementsPlist(groups: [group])).app
        try scratch.write(scratch.home(app, "Documents/a"), Array("old".utf8))
        let container = try #require(try device.groupContainers().first)
        try scratch.write("device/\(container.path)/a", Array("old".utf8))
        return app
    }

    @discardableResult
    private static func restore(
        _ id: BundleIdentifier, on device: Device, _ text: String = "new"
    ) throws -> RestoreResult {
        let group = try #require(GroupIdentifier(group))
        let staged = try device.stageRestore(of: id, version: "7", groups: [group])
        for container in staged.containers {
            let folder =
                container.group == nil
                ? try FileTree.ensureDirectory(container.directory.raw, "Documents")
                : try container.directory.descriptor.duplicate()
            try FileTree.create(folder.raw, "a", Array(text.utf8))
        }
        return try device.publish(staged)
    }

    private static func device(_ scratch: borrowing Scratch, endingAfter step: RestoreStep) throws -> Device {
        let folder = try DeviceFolder.create(at: scratch.file("device"))
        return try Device(
            directory: folder, owner: nil, limits: InstallLimits(),
            restored: { if $0 == step { throw ProcessEnded() } }, reached: { _ in })
    }

    private static func expect(_ text: String, _ scratch: borrowing Scratch, _ device: Device) throws {
        let app = try #require(try device.apps().first)
        #expect(scratch.text(scratch.home(app, "Documents/a")) == text)
        let container = try #require(try device.groupContainers().first)
        #expect(scratch.text("device/\(container.path)/a") == text)
    }
}
