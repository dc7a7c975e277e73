import Foundation
import Posix
import SandboxRules
import Testing

@testable import Device

/// What an upgrade does with the data of the app that was there.
@Suite struct UpgradeTests {
    /// The case that iOS's file system guides warn of: the bundle's file is new, the copy that the app made
    /// of it at its first start is the user's.
    @Test func aNewVersionBringsItsBundlesFileAndKeepsWhatTheUserMadeOfTheOldOne() throws {
        let scratch = try Scratch()
        try scratch.bundle()
        try scratch.write("Recipes.app/Recipes.plist", Array("soup".utf8), mode: 0o444)
        let device = try scratch.device()
        let old = try scratch.install(on: device).app
        try scratch.write(scratch.home(old, "Documents/Favourites.plist"), Array("soup, and my pie".utf8))
        try scratch.bundle(more: ["CFBundleShortVersionString": "2.0"])
        try FileManager.default.removeItem(atPath: scratch.file("Recipes.app/Recipes.plist"))
        try scratch.write("Recipes.app/Recipes.plist", Array("soup, cake".utf8), mode: 0o444)
        let new = try scratch.install(on: device).app
        #expect(scratch.text("device/\(try #require(new.bundlePath))/Recipes.plist") == "soup, cake")
        #expect(scratch.text(scratch.home(new, "Documents/Favourites.plist")) == "soup, and my pie")
    }

    @Test func documentsAndLibraryAreTheSameToTheLastAttribute() throws {
        let scratch = try Scratch()
        try scratch.bundle()
        let device = try scratch.device()
        let old = try scratch.install(on: device).app
        try fill(scratch, old)
        try run("cp", "-a", scratch.file(scratch.home(old)), scratch.file("before"))
        let new = try scratch.install(on: device).app
        #expect(new.dataContainer != old.dataContainer && new.bundleContainer != old.bundleContainer)
        for folder in ["Documents", "Library"] {
            let differences = try run(
                "rsync", "-aHAXn", "--checksum", "--delete", "-i", scratch.file("before/\(folder)/"),
                scratch.file(scratch.home(new, "\(folder)/")))
            #expect(differences == "", "\(folder)")
        }
        #expect(scratch.names(scratch.home(new, "tmp")) == [])
    }

    @Test func cachesGoWhereThatIsAskedFor() throws {
        let scratch = try Scratch()
        try scratch.bundle()
        let device = try scratch.device()
        let old = try scratch.install(on: device).app
        try fill(scratch, old)
        let new = try scratch.install(on: device, upgrade: .droppingCaches).app
        #expect(scratch.names(scratch.home(new, "Library/Caches")) == [])
        #expect(scratch.names(scratch.home(new, "Library")) == ["Caches", "Preferences", "store"])
    }

    /// They may be on the way out when the process ends: the next start must know that they were to go.
    @Test(arguments: [InstallStep.committed, .handedOver, .cleaned])
    func cachesThatGoAreGoneAlsoAfterAKill(step: InstallStep) throws {
        let scratch = try Scratch()
        try scratch.bundle()
        let old = try scratch.install(on: scratch.device()).app
        try fill(scratch, old)
        do {
            let ending = try scratch.device(endingAfter: step)
            #expect(throws: DeviceError.self) {
                try scratch.install(on: ending, upgrade: .droppingCaches)
            }
        }
        let device = try scratch.device()
        _ = try device.recover()
        let new = try #require(try device.apps().first)
        #expect(new.dataContainer != old.dataContainer)
        #expect(scratch.names(scratch.home(new, "Library/Caches")) == [])
        #expect(scratch.names(scratch.home(new, "tmp")) == [])
        #expect(scratch.text(scratch.home(new, "Documents/a b/letter")) == "dear")
    }

    @Test func whatSharingNewlyShowsIsCountedAndSaid() throws {
        let scratch = try Scratch()
        try scratch.bundle()
        let device = try scratch.device()
        let old = try scratch.install(on: device).app
        for name in ["a", "b/c", "b/.d", ".hidden", ".folder/e"] {
            try scratch.write(scratch.home(old, "Documents/\(name)"))
        }
        try scratch.bundle(more: ["UIFileSharingEnabled": true])
        let shown = try scratch.install(on: device)
        #expect(shown.notes.count == 1)
        #expect(shown.notes.first?.contains("3 files become visible in iTunes File Sharing") == true)
        let again = try scratch.install(on: device)
        #expect(again.notes == [], "it was shared before")
        for name in ["a", "b/c"] {
            try FileManager.default.removeItem(
                atPath: scratch.file(scratch.home(again.app, "Documents/\(name)")))
        }
        try scratch.bundle(more: ["LSSupportsOpeningDocumentsInPlace": true])
        let one = try scratch.install(on: device)
        #expect(one.notes.first?.contains("1 file becomes visible in Files") == true, "\(one.notes)")
        let ended = "Recipes shares its Documents no more in iTunes File Sharing (UIFileSharingEnabled)"
        #expect(one.notes.dropFirst() == [ended])
    }

    @Test func aPlaceholderIsAdoptedWithItsData() throws {
        let scratch = try Scratch()
        try scratch.bundle()
        let device = try scratch.device()
        let placeholder = try Self.placeholder(scratch, device)
        try scratch.write("device/\(placeholder.dataPath)/Documents/letter", Array("dear".utf8))
        let result = try scratch.install(on: device)
        #expect(result.replaced == placeholder)
        #expect(!result.app.isPlaceholder && result.app.dataContainer != placeholder.dataContainer)
        #expect(scratch.text(scratch.home(result.app, "Documents/letter")) == "dear")
        #expect(scratch.names(scratch.home(result.app, "Library")) == ["Caches", "Preferences"])
        #expect(try device.apps() == [result.app])
        #expect(result.app.groups == placeholder.groups, "restored groups stay while nothing names others")
        #expect(try device.groupContainers(of: result.app).count == 1)
    }

    /// The journal's row would name a container that the second upgrade moved on.
    @Test func anUpgradeFinishesWhatTheOneBeforeCouldNot() throws {
        struct Trouble: Error {}
        let scratch = try Scratch()
        try scratch.bundle()
        let device = try scratch.device()
        let old = try scratch.install(on: device).app
        try fill(scratch, old)
        var failing = Upgrade()
        failing.handOver = { _, _ in throw Trouble() }
        let unfinished = try scratch.install(on: device, upgrade: failing)
        #expect(unfinished.notes.count == 1)
        #expect(scratch.names("device/\(Layout.bundles)").count == 2)
        let last = try scratch.install(on: device).app
        #expect(try device.catalogue.journal(of: Publication.self).isEmpty)
        #expect(scratch.names("device/\(Layout.bundles)") == [last.bundleContainer?.uuidString])
        #expect(scratch.text(scratch.home(last, "Documents/a b/letter")) == "dear")
        _ = try scratch.install(on: device, upgrade: failing)
        _ = consume device
        let again = try scratch.device()
        #expect(try again.recover().count == 1)
        #expect(try again.recover() == [])
    }

    @Test func whoHasTheDataOpenEmptiesItAndIsToldBeforeTheOldBundleGoes() throws {
        let scratch = try Scratch()
        try scratch.bundle()
        let device = try scratch.device()
        let old = try scratch.install(on: device).app
        try fill(scratch, old)
        let bundles = scratch.file("device/\(Layout.bundles)")
        let seen = Lock<[String]>([])
        var upgrade = Upgrade.droppingCaches
        upgrade.handOver = { new, emptied in
            let there = try FileManager.default.contentsOfDirectory(atPath: bundles)
            seen.withLock { $0 = emptied + ["\(there.count) bundles", new.version ?? ""] }
            return true
        }
        let new = try scratch.install(on: device, upgrade: upgrade).app
        #expect(seen.withLock { $0 } == ["tmp", "Library/Caches", "2 bundles", "1.0"])
        #expect(scratch.names(scratch.home(new, "tmp")) == ["scrap"], "left to who has it open")
        #expect(scratch.names("device/\(Layout.bundles)").count == 2, "somebody has the old one open")
        let last = try scratch.install(on: device).app
        #expect(scratch.names("device/\(Layout.bundles)").count == 2)
        try device.removeReplacedBundles(of: last.bundleID)
        #expect(scratch.names("device/\(Layout.bundles)") == [last.bundleContainer?.uuidString])
        #expect(try device.catalogue.journal(of: Publication.self).isEmpty)
    }

    @Test func aBundleThatWasHeldGoesAtTheNextStart() throws {
        let scratch = try Scratch()
        try scratch.bundle()
        let first = try scratch.device()
        try scratch.install(on: first)
        var held = Upgrade()
        held.handOver = { _, _ in true }
        try scratch.install(on: first, upgrade: held)
        let last = try scratch.install(on: first, upgrade: held).app
        try scratch.write(scratch.home(last, "Documents/letter"), Array("dear".utf8))
        try scratch.write(scratch.home(last, "tmp/scrap"))
        _ = consume first
        let device = try scratch.device()
        #expect(try device.recover().count == 2)
        #expect(scratch.names("device/\(Layout.bundles)") == [last.bundleContainer?.uuidString])
        #expect(scratch.text(scratch.home(last, "Documents/letter")) == "dear")
        #expect(scratch.names(scratch.home(last, "tmp")) == ["scrap"], "it was emptied long ago")
    }

    /// An app whose data was restored: its row has no bundle.
    private static func placeholder(_ scratch: borrowing Scratch, _ device: Device) throws -> InstalledApp {
        let app = InstalledApp(
            bundleID: try #require(BundleIdentifier("org.example.recipes")), name: "Recipes",
            displayName: "Recipes", version: nil, executable: nil, bundleContainer: nil,
            dataContainer: UUID(), groups: [try #require(GroupIdentifier("group.kitchen"))],
            sharing: SharingKeys(itunes: false, files: false),
            entitlements: nil, entitlementsSource: .none,
            installed: Date(timeIntervalSince1970: 0), sealDigest: nil)
        let group = Publication.NewGroup(identifier: "group.kitchen", container: UUID())
        try device.catalogue.write { try Catalogue.put(app, bringing: [group], $0) }
        try FileManager.default.createDirectory(
            atPath: scratch.file("device/\(app.dataPath)/Documents"), withIntermediateDirectories: true)
        return app
    }

    /// Files with attributes, links, times and names of all kinds.
    private func fill(_ scratch: borrowing Scratch, _ app: InstalledApp) throws {
        for name in ["Documents/a b/letter", "Documents/é", "Library/Caches/c", "Library/store", "tmp/scrap"]
        {
            try scratch.write(scratch.home(app, name), Array("dear".utf8))
        }
        let documents = scratch.file(scratch.home(app, "Documents"))
        try FileManager.default.linkItem(atPath: documents + "/é", toPath: documents + "/a b/second")
        try scratch.link(scratch.home(app, "Documents/link"), to: "a b/letter")
        try run("setfattr", "-n", "user.com.apple.MobileBackup", "-v", "0x01", documents + "/é")
        try run("setfattr", "-n", "user.x", "-v", "y", documents + "/a b")
        try run("touch", "-d", "2001-02-03 04:05:06.789", documents + "/a b/letter", documents + "/a b")
        try run("truncate", "-s", "10M", documents + "/sparse")
    }

    @discardableResult
    private func run(_ command: String...) throws -> String {
        let process = Foundation.Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(command)")
        return String(decoding: text, as: UTF8.self)
    }
}
