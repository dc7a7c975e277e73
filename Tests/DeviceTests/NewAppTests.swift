import Foundation
import Posix
import SandboxRules
import Testing

@testable import Device

@Suite struct NewAppTests {
    @Test func aNameAloneMakesAnAppWithALocalIdentifier() throws {
        let scratch = try Scratch()
        let device = try scratch.device()
        let app = try device.new(NewApp(name: "My Notes é")).app
        #expect(app.bundleID.value == "local.My-Notes--")
        #expect(app.name == "My Notes é")
        #expect(app.sharing == SharingKeys(itunes: false, files: false))
        #expect(try device.verifySeal(of: app) == [])
        #expect(scratch.names(scratch.home(app, "Library")) == ["Caches", "Preferences"])
    }

    @Test func sharingGroupsIdentifierAndContentAreAsAsked() throws {
        let scratch = try Scratch()
        try scratch.write("content/sub/seed.txt", Array("seed".utf8))
        let content = try scratch.open("content")
        var new = NewApp(name: "Notes")
        new.identifier = "org.example.notes"
        new.sharesWithITunes = true
        new.sharesWithFiles = true
        new.groups = ["group.one", "group.two"]
        new.content = content.raw
        let app = try scratch.device().new(new).app
        #expect(app.bundleID.value == "org.example.notes")
        #expect(app.sharing == SharingKeys(itunes: true, files: true))
        #expect(app.groups.map(\.value) == ["group.one", "group.two"])
        #expect(app.entitlementsSource == .option)
        let bundle = "device/\(try #require(app.bundlePath))"
        #expect(scratch.names(bundle) == ["Info.plist", "sub"])
        #expect(scratch.text("\(bundle)/sub/seed.txt") == "seed")
    }

    @Test func anAppThatIsThereIsRefused() throws {
        let scratch = try Scratch()
        let device = try scratch.device()
        let app = try device.new(NewApp(name: "Notes")).app
        let refused = #expect(throws: DeviceError.self) { _ = try device.new(NewApp(name: "Notes")) }
        #expect(refused?.kind == .alreadyThere)
        #expect(try device.apps() == [app])
    }

    @Test func aSourcePlistIsRefusedWithoutAnIdentifier() throws {
        let scratch = try Scratch()
        let device = try scratch.device()
        var new = NewApp(name: "Notes")
        new.infoPlist = try plistBytes([
            "CFBundleIdentifier": "$(PRODUCT_BUNDLE_IDENTIFIER)", "CFBundleName": "$(PRODUCT_NAME)",
            "UIFileSharingEnabled": true,
        ])
        let source = new
        let refused = #expect(throws: DeviceError.self) { _ = try device.new(source) }
        #expect(
            refused?.message
                == "CFBundleIdentifier is $(PRODUCT_BUNDLE_IDENTIFIER): this is a source plist; give --id")
        scratch.expectNothingLeft()
        new.identifier = "org.example.notes"
        let app = try device.new(new).app
        #expect(app.bundleID.value == "org.example.notes")
        #expect(app.displayName == "Notes")
        #expect(app.sharing.itunes)
    }

    @Test func aGivenPropertyListsIdentifierIsKept() throws {
        let scratch = try Scratch()
        var new = NewApp(name: "Notes")
        new.infoPlist = try plistBytes(["CFBundleIdentifier": "org.example.given", "CFBundleVersion": "7"])
        let app = try scratch.device().new(new).app
        #expect(app.bundleID.value == "org.example.given")
        #expect(app.version == "1.0")
    }

    @Test(arguments: ["", "a/b", "..", "a\nb", String(repeating: "n", count: 252)])
    func aNameThatNoAppHasIsRefused(name: String) throws {
        let scratch = try Scratch()
        let device = try scratch.device()
        let refused = #expect(throws: DeviceError.self) { _ = try device.new(NewApp(name: name)) }
        #expect(refused?.kind == .badValue)
        scratch.expectNothingLeft()
    }

    @Test func contentThatPointsOutIsRefusedWhole() throws {
        let scratch = try Scratch()
        try scratch.write("content/a")
        try scratch.link("content/out", to: "/etc/passwd")
        let content = try scratch.open("content")
        var new = NewApp(name: "Notes")
        new.content = content.raw
        let asked = new
        let device = try scratch.device()
        #expect(throws: DeviceError.self) { _ = try device.new(asked) }
        scratch.expectNothingLeft()
    }

    @Test func anImpossibleGroupOrIdentifierIsRefused() throws {
        let scratch = try Scratch()
        let device = try scratch.device()
        var group = NewApp(name: "Notes")
        group.groups = ["../up"]
        var identifier = NewApp(name: "Notes")
        identifier.identifier = "a/b"
        for asked in [group, identifier] {
            let refused = #expect(throws: DeviceError.self) { _ = try device.new(asked) }
            #expect(refused?.kind == .badValue)
        }
        scratch.expectNothingLeft()
    }
}
