import Foundation
import Posix
import Testing
import Wire

@testable import Device

/// Killed after any step, the device has the old app or the new one, whole, and nothing else.
@Suite struct PublishTests {
    @Test(arguments: InstallStep.allCases)
    func aFirstInstallKilledAtAnyStepIsThereOrNot(step: InstallStep) throws {
        let scratch = try Scratch()
        try scratch.bundle()
        let entitlements = try entitlementsPlist(groups: ["group.a"])
        do {
            let ending = try scratch.device(endingAfter: step)
            #expect(throws: DeviceError.self) { try scratch.install(on: ending, entitlements: entitlements) }
        }
        let device = try scratch.device()
        _ = try device.recover()
        #expect(scratch.names("device/Staging") == [])
        guard let app = try device.apps().first else {
            #expect(Self.uncommitted.contains(step))
            scratch.expectNothingLeft()
            return
        }
        #expect(!Self.uncommitted.contains(step))
        try expectWhole(app, scratch, device)
        #expect(scratch.names("device/\(Layout.groups)").count == 1)
    }

    @Test(arguments: InstallStep.allCases)
    func anUpgradeKilledAtAnyStepIsTheOldAppOrTheNew(step: InstallStep) throws {
        let scratch = try Scratch()
        try scratch.bundle()
        let old = try scratch.install(on: scratch.device()).app
        try scratch.write(scratch.home(old, "Documents/letter"), Array("dear".utf8))
        try scratch.write(scratch.home(old, "tmp/scrap"))
        try scratch.bundle(more: ["CFBundleShortVersionString": "2.0"])
        do {
            let ending = try scratch.device(endingAfter: step)
            #expect(throws: DeviceError.self) {
                try scratch.install(on: ending, entitlements: entitlementsPlist(groups: ["group.a"]))
            }
        }
        let device = try scratch.device()
        _ = try device.recover()
        let app = try #require(try device.apps().first)
        let isNew = !Self.uncommitted.contains(step)
        #expect(app.version == (isNew ? "2.0" : "1.0"))
        #expect(isNew || app == old)
        #expect(scratch.names("device/\(Layout.groups)").count == (isNew ? 1 : 0))
        #expect(scratch.text(scratch.home(app, "Documents/letter")) == "dear")
        #expect(scratch.names(scratch.home(app, "tmp")) == (isNew ? [] : ["scrap"]))
        try expectWhole(app, scratch, device)
        #expect(try device.recover() == [], "recovery leaves nothing to recover")
    }

    @Test func anUndoThatIsKilledItselfIsRepeated() throws {
        let scratch = try Scratch()
        try scratch.bundle()
        let old = try scratch.install(on: scratch.device()).app
        do {
            let ending = try scratch.device(endingAfter: .dataPublished)
            #expect(throws: DeviceError.self) { try scratch.install(on: ending) }
            // The undo's first step, done; its journal row is still there.
            let publication = try #require(try ending.catalogue.journal(of: Publication.self).first)
            let device = ending.directory
            try FolderMove.move(
                device, Layout.dataContainer(publication.dataContainer), to: old.dataPath, in: device)
        }
        let device = try scratch.device()
        #expect(try device.recover().count == 1)
        #expect(try device.apps() == [old])
        try expectWhole(old, scratch, device)
    }

    @Test func aFailureAfterTheJournalIsUndoneAtOnce() throws {
        struct DiskTrouble: Error {}
        let scratch = try Scratch()
        try scratch.bundle()
        let old = try scratch.install(on: scratch.device()).app
        let folder = try DeviceFolder.create(at: scratch.file("device"))
        let device = try Device(directory: folder, owner: nil, limits: InstallLimits()) { step in
            if step == .groupsPublished { throw DiskTrouble() }
        }
        #expect(throws: DeviceError.self) { try scratch.install(on: device) }
        #expect(try device.apps() == [old])
        #expect(scratch.names("device/Staging") == [])
        try expectWhole(old, scratch, device)
        #expect(try device.catalogue.journal(of: Publication.self).isEmpty)
    }

    @Test func installsOfOneAppAtOnceLeaveOneApp() async throws {
        let scratch = try Scratch()
        try scratch.bundle()
        let device = try scratch.device()
        let path = scratch.file("Recipes.app")
        try await withThrowingTaskGroup(of: InstallResult.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let source = try Descriptor(path, flags: O_RDONLY)
                    return try device.install(from: .bundle(directory: source.raw, name: "Recipes.app"))
                }
            }
            var firsts = 0
            for try await result in group where result.replaced == nil { firsts += 1 }
            #expect(firsts == 1)
        }
        let app = try #require(try device.apps().first)
        #expect(try device.apps().count == 1)
        try expectWhole(app, scratch, device)
    }

    private static let uncommitted: [InstallStep] = [
        .copied, .sealed, .synchronized, .journaled, .bundlePublished, .dataPublished, .groupsPublished,
    ]

    /// The app's containers, and no other ones, are there, and its seal holds.
    private func expectWhole(_ app: InstalledApp, _ scratch: borrowing Scratch, _ device: Device) throws {
        #expect(scratch.names("device/\(Layout.bundles)") == [app.bundleContainer?.uuidString])
        #expect(scratch.names("device/\(Layout.data)") == [app.dataContainer.uuidString])
        #expect(try device.verifySeal(of: app).isEmpty)
        #expect(scratch.names(scratch.home(app)).contains("Documents"))
        #expect(scratch.names("device/Staging") == [])
    }
}
