import Foundation
import Posix
import Testing

@testable import Device

@Suite struct IpaArchiveTests {
    @Test func theAppInAnArchiveIsInstalledWithModesLinksAndNames() throws {
        let scratch = try Scratch()
        var zip = try ZipFile.app()
        zip.add("Payload/Recipes.app/Recipes", Array("#!".utf8), mode: 0o100755)
        zip.add("Payload/Recipes.app/de.lproj/Grüße.txt", Array("hallo".utf8), mode: 0o100444)
        zip.add("Payload/Recipes.app/empty/", mode: 0o040555)
        zip.add("Payload/Recipes.app/link", Array("Recipes".utf8), mode: 0o120777)
        zip.add("iTunesMetadata.plist", Array("left out".utf8))
        zip.add("__MACOSX/._x", Array("left out".utf8))
        zip.entries[2].flags = 1 << 11
        let device = try scratch.device()
        let app = try install(zip, scratch, device).app
        #expect(app.name == "Recipes")
        let bundle = try device.openBundle(app)
        #expect(
            try sortedNames(in: bundle.raw) == [
                "Info.plist", "Recipes", "de.lproj", "empty", "link",
            ])
        #expect(try ItemStamp(bundle.raw, "Recipes").permissions == 0o755)
        #expect(try ItemStamp(bundle.raw, "de.lproj/Grüße.txt").permissions == 0o444)
        #expect(try ItemStamp(bundle.raw, "empty").permissions == 0o555)
        #expect(try linkTarget("link", in: bundle.raw) == Array("Recipes".utf8))
        #expect(try FileTree.read(bundle.raw, "de.lproj/Grüße.txt", limitBytes: 9) == Array("hallo".utf8))
        #expect(try device.verifySeal(of: app) == [])
    }

    @Test func aSlashBeforeACombiningMarkStaysASlash() throws {
        let scratch = try Scratch()
        try FileManager.default.createDirectory(
            atPath: scratch.file("outside"), withIntermediateDirectories: true)
        var zip = try ZipFile.app()
        zip.add("Payload/Recipes.app/L", Array(scratch.file("outside").utf8), mode: 0o120777)
        zip.add("Payload/Recipes.app/L/\u{301}evil", Array("evil".utf8), mode: 0o100644)
        zip.entries[zip.entries.count - 1].flags = 1 << 11
        let device = try scratch.device()
        #expect(throws: (any Error).self) { try install(zip, scratch, device) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.file("outside")) == [])
    }

    @Test func aCompressedArchiveOfManyFilesIsInstalled() throws {
        let scratch = try Scratch()
        try scratch.bundle()
        for index in 0..<300 {
            try scratch.write(
                "Recipes.app/\(index % 7)/\(index)", [UInt8](repeating: UInt8(index % 5), count: index * 97))
        }
        try FileManager.default.createDirectory(
            atPath: scratch.file("Payload"), withIntermediateDirectories: true)
        try FileManager.default.moveItem(
            atPath: scratch.file("Recipes.app"), toPath: scratch.file("Payload/Recipes.app"))
        try CompressedZip.write(scratch.file("app.ipa"), of: "Payload", in: scratch.path)
        let device = try scratch.device()
        let file = try scratch.open("app.ipa")
        let bundle = try device.openBundle(device.install(from: .archive(file: file.raw)).app)
        #expect(
            try FileTree.read(bundle.raw, "5/299", limitBytes: 1 << 20)
                == [UInt8](repeating: 4, count: 299 * 97))
    }

    @Test func howMuchAnArchiveHoldsIsKnownBeforeItIsUnpacked() throws {
        let scratch = try Scratch()
        var zip = try ZipFile.app()
        for index in 0..<3 {
            zip.add("Payload/Recipes.app/\(index)", [UInt8](repeating: 1, count: 500_000))
        }
        zip.add("Symbols/left-out", [UInt8](repeating: 1, count: 500_000))
        try scratch.write("app.ipa", zip.bytes)
        let file = try scratch.open("app.ipa")
        let told = Lock<[(done: Int64, total: Int64)]>([])
        _ = try scratch.device().install(
            from: .archive(file: file.raw),
            progress: { done, total in told.withLock { $0.append((done, total)) } })
        let last = try #require(told.withLock { $0.last })
        #expect(last.done >= 1_500_000 && last.total == last.done)
        #expect(told.withLock { told in told.allSatisfy { $0.total == last.total } })
    }

    @Test(arguments: [
        "../escape", "/etc/escape", "Payload/../../escape", "Payload/Recipes.app/../../../escape",
        "Payload/Recipes.app/./x", "Payload//Recipes.app/x",
    ])
    func anArchiveWithAPathThatLeadsOutIsRefusedWhole(path: String) throws {
        let scratch = try Scratch()
        var zip = try ZipFile.app()
        zip.add(path, Array("x".utf8))
        #expect(try refusal(zip, scratch)?.message.contains("outside") == true)
    }

    @Test(arguments: ["/etc/passwd", "../../..", "../Other.app/x"])
    func aLinkThatPointsOutIsRefused(target: String) throws {
        let scratch = try Scratch()
        var zip = try ZipFile.app()
        zip.add("Payload/Recipes.app/out", Array(target.utf8), mode: 0o120777)
        #expect(try refusal(zip, scratch)?.message.contains("points out of the bundle") == true)
    }

    @Test func nothingIsWrittenThroughALinkOfTheArchive() throws {
        let scratch = try Scratch()
        try scratch.write("victim/kept")
        var zip = try ZipFile.app()
        zip.add("Payload/Recipes.app/door", Array(scratch.file("victim").utf8), mode: 0o120777)
        zip.add("Payload/Recipes.app/door/written", Array("x".utf8))
        #expect(try refusal(zip, scratch)?.message.contains("door/written in the .ipa lies behind") == true)
        #expect(scratch.names("victim") == ["kept"])
        var twice = try ZipFile.app()
        twice.add("Payload/Recipes.app/door", Array(scratch.file("victim/kept").utf8), mode: 0o120777)
        twice.add("Payload/Recipes.app/door", Array("overwritten".utf8))
        #expect(try refusal(twice, scratch) != nil)
        #expect(scratch.text("victim/kept") == "x")
    }

    @Test func anArchiveThatUnfoldsTooFarIsRefused() throws {
        let scratch = try Scratch()
        var zip = try ZipFile.app()
        zip.add("Payload/Recipes.app/data", [UInt8](repeating: 0, count: 100_000))
        let limits = InstallLimits(archiveRatio: 0, archiveFloorBytes: 50_000)
        #expect(try refusal(zip, scratch, limits)?.message.contains("unfolds") == true)
        let few = InstallLimits(entries: 1)
        #expect(try refusal(zip, scratch, few)?.message.contains("more than 1 items") == true)
    }

    @Test func aHugeInfoPlistIsRefusedBeforeItIsUnpacked() throws {
        let scratch = try Scratch()
        var zip = ZipFile()
        zip.add("Payload/Recipes.app/Info.plist")
        zip.entries[0].claimedBytes = (16 << 20) + 1
        #expect(try refusal(zip, scratch)?.message.contains("larger than 16 MB") == true)
    }

    @Test func anEncryptedEntryIsRefused() throws {
        let scratch = try Scratch()
        var zip = try ZipFile.app()
        zip.add("Payload/Recipes.app/secret", Array("0123456789abcdef".utf8))
        zip.entries[1].flags = 1
        #expect(try refusal(zip, scratch)?.message.contains("encrypted") == true)
    }

    @Test func anArchiveOfNoneOrTwoAppsIsRefused() throws {
        let scratch = try Scratch()
        var none = ZipFile()
        none.add("Recipes.app/Info.plist", Array("x".utf8))
        #expect(try refusal(none, scratch)?.message.contains("no Payload/NAME.app") == true)
        var two = try ZipFile.app()
        two.add("Payload/Ledger.app/x")
        #expect(try refusal(two, scratch)?.message.contains("two apps") == true)
    }

    @Test func otherKindsOfFilesAndNamesAreRefused() throws {
        let scratch = try Scratch()
        var device = try ZipFile.app()
        device.add("Payload/Recipes.app/null", mode: 0o020666)
        #expect(try refusal(device, scratch) != nil)
        var name = try ZipFile.app()
        name.entries.append(ZipFile.Entry(name: Array("Payload/Recipes.app/".utf8) + [0xFF, 0xFE]))
        #expect(try refusal(name, scratch) != nil)
        var app = ZipFile()
        app.add("Payload/.app/Info.plist", try plistBytes(["CFBundleIdentifier": "a.b"]))
        #expect(try refusal(app, scratch)?.message.contains("no name for an app") == true)
    }

    @Test func everyTruncationAndManyChangesAreRefusedOrWhole() throws {
        let scratch = try Scratch()
        let bytes = try ZipFile.app().bytes
        let device = try scratch.device()
        for length in stride(from: 0, to: bytes.count, by: 7) {
            #expect(throws: DeviceError.self) { try install(Array(bytes.prefix(length)), scratch, device) }
        }
        for place in stride(from: 0, to: bytes.count, by: 5) {
            var changed = bytes
            changed[place] ^= 0xFF
            _ = try? install(changed, scratch, device)
        }
        #expect(scratch.names("device/Staging") == [])
    }

    @Test func anArchiveReplacesNoAppThatIsHeldOpen() throws {
        let scratch = try Scratch()
        let device = try scratch.device()
        let app = try install(try ZipFile.app(), scratch, device).app
        let busy = DeviceError(.alreadyThere, "Recipes is mounted")
        let file = try scratch.open("app.ipa")
        var upgrade = Upgrade()
        upgrade.willReplace = { _, _ in throw busy }
        let refused = #expect(throws: DeviceError.self) {
            _ = try device.install(from: .archive(file: file.raw), upgrade: upgrade)
        }
        #expect(refused == busy)
        #expect(try device.apps() == [app])
        #expect(try device.verifySeal(of: app) == [])
        #expect(scratch.names("device/Staging") == [])
    }

    @Test func aDirectoryInThePlaceOfAnArchiveIsRefused() throws {
        let scratch = try Scratch()
        let directory = try scratch.open(".")
        let device = try scratch.device()
        let refused = #expect(throws: DeviceError.self) {
            _ = try device.install(from: .archive(file: directory.raw))
        }
        #expect(refused?.kind == .notAnApp)
    }

    @discardableResult
    private func install(_ zip: ZipFile, _ scratch: borrowing Scratch, _ device: Device) throws
        -> InstallResult
    {
        try install(zip.bytes, scratch, device)
    }

    @discardableResult
    private func install(
        _ bytes: [UInt8], _ scratch: borrowing Scratch, _ device: Device
    ) throws -> InstallResult {
        try scratch.write("app.ipa", bytes)
        let file = try scratch.open("app.ipa")
        return try device.install(from: .archive(file: file.raw))
    }

    private func refusal(
        _ zip: ZipFile, _ scratch: borrowing Scratch, _ limits: InstallLimits = InstallLimits()
    ) throws -> DeviceError? {
        let device = try scratch.device(limits: limits)
        let refused = #expect(throws: DeviceError.self) { try install(zip, scratch, device) }
        #expect(refused?.kind == .notAnApp || refused?.kind == .system)
        #expect(refused?.message.contains("\n") == false)
        #expect(try device.apps().isEmpty)
        scratch.expectNothingLeft()
        return refused
    }
}
