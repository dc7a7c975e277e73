import CLinux
import Foundation
import Posix
import SandboxRules
import Testing

@testable import Device

@Suite struct InstallTests {
    @Test func anInstalledAppIsInTheCatalogueWithWhatItsInfoPlistSays() throws {
        let scratch = try Scratch()
        try scratch.bundle(more: ["CFBundleDisplayName": "My Recipes", "UIFileSharingEnabled": true])
        let device = try scratch.device()
        let result = try scratch.install(on: device)
        #expect(result.replaced == nil)
        let app = try device.app(named: "recipes")
        #expect(app == (try device.app(named: "org.example.recipes")))
        #expect(app.bundleID.value == "org.example.recipes")
        #expect(app.name == "Recipes")
        #expect(app.displayName == "My Recipes")
        #expect(app.version == "1.0")
        #expect(app.sharing == SharingKeys(itunes: true, files: false))
        #expect(app.entitlementsSource == .none)
        #expect(!app.isPlaceholder)
    }

    @Test func containersHaveWhatADeviceMakesAndTellWhoseTheyAre() throws {
        let scratch = try Scratch()
        try scratch.bundle()
        let device = try scratch.device()
        let app = try scratch.install(on: device).app
        let home = scratch.names(scratch.home(app))
        #expect(home == [ContainerMetadata.fileName, "Documents", "Library", "SystemData", "tmp"])
        #expect(scratch.names(scratch.home(app, "Library")) == ["Caches", "Preferences"])
        let container = "device/\(Layout.bundleContainer(try #require(app.bundleContainer)))"
        #expect(scratch.names(container) == [ContainerMetadata.fileName, BundleSeal.fileName, "Recipes.app"])
        for (folder, contentClass) in [(container, 1), (scratch.home(app), 2)] {
            let bytes = try #require(
                FileManager.default.contents(atPath: scratch.file("\(folder)/\(ContainerMetadata.fileName)")))
            let values =
                try PropertyListSerialization.propertyList(from: bytes, format: nil) as? [String: Any]
            #expect(values?["MCMMetadataIdentifier"] as? String == "org.example.recipes")
            #expect(values?["MCMMetadataContentClass"] as? Int == contentClass)
            #expect(values?["MCMMetadataUUID"] as? String == (folder as NSString).lastPathComponent)
        }
    }

    @Test func filesLinksModesAndTimesAreAsPacked() throws {
        let scratch = try Scratch()
        try scratch.bundle()
        try scratch.write("Recipes.app/Recipes", Array("#!/bin/sh\n".utf8), mode: 0o755)
        try scratch.write("Recipes.app/en.lproj/a.strings", [], mode: 0o444)
        try scratch.write("Recipes.app/big", [UInt8](repeating: 7, count: 3 << 20), mode: 0o6755)
        try scratch.link("Recipes.app/current", to: "en.lproj/a.strings")
        let path = scratch.file("Recipes.app/Recipes")
        let time = Date(timeIntervalSince1970: 1_000_000_000)
        try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: path)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o555], ofItemAtPath: scratch.file("Recipes.app/en.lproj"))
        let device = try scratch.device()
        let bundle = try device.openBundle(scratch.install(on: device).app)
        #expect(try ItemStamp(bundle.raw, "Recipes").permissions == 0o755)
        #expect(try ItemStamp(bundle.raw, "Recipes").modified == 1_000_000_000_000_000_000)
        #expect(try ItemStamp(bundle.raw, "en.lproj").permissions == 0o555)
        #expect(try ItemStamp(bundle.raw, "en.lproj/a.strings").permissions == 0o444)
        #expect(try ItemStamp(bundle.raw, "big").permissions == 0o755, "neither suid nor sgid")
        #expect(
            try FileTree.read(bundle.raw, "big", limitBytes: 4 << 20) == [UInt8](repeating: 7, count: 3 << 20)
        )
        #expect(try linkTarget("current", in: bundle.raw) == Array("en.lproj/a.strings".utf8))
    }

    @Test func entitlementsComeFromTheOptionFirst() throws {
        let scratch = try Scratch()
        try scratch.bundle(more: ["CFBundleExecutable": "Recipes"])
        try scratch.write(
            "Recipes.app/Recipes", MachO.signed(try entitlementsPlist(groups: ["group.signed"])))
        try scratch.write(
            "Recipes.app/embedded.mobileprovision", try Profile.bytes(groups: ["group.profile"]))
        let device = try scratch.device()
        let option = try entitlementsPlist(groups: ["group.option"])
        let byOption = try scratch.install(on: device, entitlements: option).app
        #expect(byOption.entitlementsSource == .option)
        #expect(byOption.groups.map(\.value) == ["group.option"])
        let bySignature = try scratch.install(on: device).app
        #expect(bySignature.entitlementsSource == .codeSignature)
        #expect(bySignature.groups.map(\.value) == ["group.signed"])
        try scratch.write("Recipes.app/Recipes", Array("#!/bin/sh\n".utf8))
        let byProfile = try scratch.install(on: device).app
        #expect(byProfile.entitlementsSource == .profile)
        #expect(byProfile.groups.map(\.value) == ["group.profile"])
    }

    @Test func anUpgradeThatBringsNoEntitlementsKeepsThemAndSaysSo() throws {
        let scratch = try Scratch()
        try scratch.bundle()
        let device = try scratch.device()
        let first = try scratch.install(on: device, entitlements: entitlementsPlist(groups: ["group.a"]))
        #expect(first.notes == [])
        let second = try scratch.install(on: device)
        #expect(second.notes.count == 1)
        #expect(second.app.entitlements == first.app.entitlements)
        #expect(second.app.entitlementsSource == .option)
        #expect(second.app.groups == first.app.groups)
    }

    @Test func appsWithOneGroupShareItsContainer() throws {
        let scratch = try Scratch()
        try scratch.bundle()
        try scratch.bundle("Ledger", id: "org.example.ledger")
        let device = try scratch.device()
        let entitlements = try entitlementsPlist(groups: ["group.kitchen"])
        try scratch.install(on: device, entitlements: entitlements)
        try scratch.install("Ledger", on: device, entitlements: entitlements)
        #expect(scratch.names("device/\(Layout.groups)").count == 1)
        let group = try device.openGroupContainer(try #require(GroupIdentifier("group.kitchen")))
        #expect(try sortedNames(in: group.raw).contains("Library"))
        let unknown = try #require(GroupIdentifier("group.other"))
        #expect(throws: DeviceError.self) { _ = try device.openGroupContainer(unknown) }
    }

    @Test func entitlementsThatAreNoneAreRefusedBeforeAnythingIsCopied() throws {
        let scratch = try Scratch()
        try scratch.bundle()
        let device = try scratch.device()
        for bad in [Array("no plist".utf8), try entitlementsPlist(groups: ["../escape"])] {
            #expect(throws: DeviceError.self) { try scratch.install(on: device, entitlements: bad) }
        }
        #expect(try device.apps().isEmpty)
        scratch.expectNothingLeft()
    }

    @Test func anUpgradeMovesTheDataWholeToNewContainersAndEmptiesTmp() throws {
        let scratch = try Scratch()
        try scratch.bundle()
        let device = try scratch.device()
        let old = try scratch.install(on: device).app
        for name in ["Documents/a", "Library/Caches/c", "Library/Application Support/s", "tmp/t/u"] {
            try scratch.write(scratch.home(old, name))
        }
        let inode = try inode(scratch.file(scratch.home(old, "Documents/a")))
        try scratch.bundle(more: ["CFBundleShortVersionString": "2.0"])
        let result = try scratch.install(on: device)
        let new = result.app
        #expect(result.replaced == old)
        #expect(new.version == "2.0")
        #expect(new.dataContainer != old.dataContainer && new.bundleContainer != old.bundleContainer)
        #expect(scratch.names("device/\(Layout.data)") == [new.dataContainer.uuidString])
        #expect(scratch.names("device/\(Layout.bundles)") == [new.bundleContainer?.uuidString])
        #expect(try self.inode(scratch.file(scratch.home(new, "Documents/a"))) == inode)
        #expect(scratch.names(scratch.home(new, "Library/Caches")) == ["c"])
        #expect(scratch.names(scratch.home(new, "Library/Application Support")) == ["s"])
        #expect(scratch.names(scratch.home(new, "tmp")) == [])
        #expect(try device.apps() == [new])
    }

    @Test func whoeverHoldsTheAppOpenCanRefuseItsReplacement() throws {
        let scratch = try Scratch()
        try scratch.bundle()
        let device = try scratch.device()
        let app = try scratch.install(on: device).app
        let source = try scratch.open("Recipes.app")
        let busy = DeviceError(.alreadyThere, "Recipes is mounted")
        var upgrade = Upgrade()
        upgrade.willReplace = { _, _ in throw busy }
        let refused = #expect(throws: DeviceError.self) {
            _ = try device.install(
                from: .bundle(directory: source.raw, name: "Recipes.app"), upgrade: upgrade)
        }
        #expect(refused == busy)
        #expect(try device.apps() == [app])
        #expect(scratch.names("device/Staging") == [])
    }

    @Test func anAppIsFoundByIdentifierOrByItsNameInAnyCase() throws {
        let scratch = try Scratch()
        try scratch.bundle()
        let device = try scratch.device()
        try scratch.install(on: device)
        #expect(try device.app(named: "RECIPES").name == "Recipes")
        let unknown = #expect(throws: DeviceError.self) { _ = try device.app(named: "Org.Example.Recipes") }
        #expect(unknown?.kind == .unknownApp)
        #expect(unknown?.message.contains("ApplicationLookupFailed") == true)
        for (word, likely) in [("recipse", "Recipes"), ("org.example.recipe", "org.example.recipes")] {
            let slip = #expect(throws: DeviceError.self) { _ = try device.app(named: word) }
            #expect(slip?.message.hasSuffix("did you mean \(likely)? See: apphome list") == true)
        }
        let far = #expect(throws: DeviceError.self) { _ = try device.app(named: "Ledger") }
        #expect(far?.message.hasSuffix("; see what is there: apphome list") == true)
        try scratch.bundle(id: "org.example.other")
        try scratch.install(on: device)
        let ambiguous = #expect(throws: DeviceError.self) { _ = try device.app(named: "Recipes") }
        #expect(ambiguous?.kind == .ambiguousApp)
        #expect(ambiguous?.message.contains("org.example.other") == true)
    }

    @Test func progressTellsTheBytesWritten() throws {
        let scratch = try Scratch()
        try scratch.bundle()
        try scratch.write("Recipes.app/data", [UInt8](repeating: 1, count: 100_000))
        let device = try scratch.device()
        let source = try scratch.open("Recipes.app")
        let last = Lock<Int64>(0)
        _ = try device.install(
            from: .bundle(directory: source.raw, name: "Recipes.app"),
            progress: { bytesDone, totalBytes in
                last.withLock { $0 = max($0, bytesDone) }
                #expect(totalBytes >= bytesDone)
            })
        #expect(last.withLock { $0 } > 100_000)
    }

    private func inode(_ path: String) throws -> UInt64 {
        try ItemStamp(Descriptor.workingDirectory, path).inode
    }
}
