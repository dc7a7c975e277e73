import Foundation
import Posix
import Testing

@testable import Device

@Suite struct BundleSealTests {
    @Test func aSoundBundleHasNoDifferences() throws {
        let scratch = try Scratch()
        let (device, app) = try installed(scratch)
        #expect(try device.verifySeal(of: app) == [])
    }

    @Test func changedMissingAndAddedFilesAreNamed() throws {
        let scratch = try Scratch()
        let (device, app) = try installed(scratch)
        let bundle = "device/" + (try #require(app.bundlePath))
        try scratch.write("\(bundle)/changed", Array("y".utf8))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: scratch.file("\(bundle)/mode"))
        try FileManager.default.removeItem(atPath: scratch.file("\(bundle)/sub/missing"))
        try FileManager.default.removeItem(atPath: scratch.file("\(bundle)/link"))
        try scratch.link("\(bundle)/link", to: "changed")
        try scratch.write("\(bundle)/sub/added")
        #expect(
            try device.verifySeal(of: app) == [
                SealDifference(path: "changed", change: .changed),
                SealDifference(path: "link", change: .changed),
                SealDifference(path: "mode", change: .changed),
                SealDifference(path: "sub/added", change: .added),
                SealDifference(path: "sub/missing", change: .missing),
            ])
    }

    @Test func aSealThatWasWrittenAnewIsRefused() throws {
        let scratch = try Scratch()
        let (device, app) = try installed(scratch)
        let container = try device.openBundleContainer(app)
        let bundle = try device.openBundle(app)
        try scratch.write("device/\(try #require(app.bundlePath))/changed", Array("y".utf8))
        try FileTree.replace(container.raw, BundleSeal.fileName, BundleSeal(of: bundle.raw).bytes)
        #expect(throws: DeviceError.self) { _ = try device.verifySeal(of: app) }
    }

    @Test func aDigestIsSHA256() throws {
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        #expect(Digest.of(Array("abc".utf8)) == abc)
        let scratch = try Scratch()
        try scratch.write("abc", Array("abc".utf8))
        let file = try scratch.open("abc")
        #expect(try Digest.ofFile(file.raw) == abc)
    }

    private func installed(_ scratch: borrowing Scratch) throws -> (Device, InstalledApp) {
        try scratch.bundle()
        for name in ["changed", "mode", "sub/missing", "new\nline"] {
            try scratch.write("Recipes.app/\(name)")
        }
        try scratch.link("Recipes.app/link", to: "mode")
        let device = try scratch.device()
        return (device, try scratch.install(on: device).app)
    }
}
