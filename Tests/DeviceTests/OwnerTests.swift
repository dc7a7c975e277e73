import Foundation
import Posix
import SystemPackage
import Testing
import Wire

@testable import Device

/// As root these act as another user, else as the user that runs them: what is made belongs to the owner.
@Suite struct OwnerTests {
    private let owner = Owner.current.uid == 0 ? Owner(uid: 4711, gid: 4712) : Owner.current

    @Test func everythingThatAnInstallMakesBelongsToTheOwner() throws {
        let scratch = try Scratch()
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: scratch.path)
        try scratch.bundle()
        try scratch.write("Recipes.app/d/file")
        let folder = try DeviceFolder.create(at: scratch.file("device"), owner: owner)
        let device = try Device(directory: folder)
        #expect(device.owner == owner)
        try scratch.install(on: device, entitlements: entitlementsPlist(groups: ["group.a"]))
        try scratch.install(on: device)
        let walk = try #require(FileManager.default.enumerator(atPath: scratch.file("device")))
        var count = 0
        for case let name as String in walk {
            let stamp = try ItemStamp(Descriptor.workingDirectory, scratch.file("device/\(name)"))
            #expect(Owner(of: stamp) == owner, "\(name)")
            count += 1
        }
        #expect(count > 20)
    }

    @Test func rightsEndWithTheBlockAndMayBeNested() throws {
        let scratch = try Scratch()
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: scratch.path)
        let directory = try scratch.open(".")
        try owner.acting {
            try owner.acting { try FileTree.create(directory.raw, "inner", []) }
            try FileTree.create(directory.raw, "outer", [])
        }
        try FileTree.create(directory.raw, "after", [])
        #expect(try Owner(of: ItemStamp(directory.raw, "inner")) == owner)
        #expect(try Owner(of: ItemStamp(directory.raw, "outer")) == owner)
        #expect(try Owner(of: ItemStamp(directory.raw, "after")) == Owner.current)
    }

    @Test func theOwnersRightsAreNotRoots() throws {
        let scratch = try Scratch()
        try scratch.bundle()
        try scratch.write("Recipes.app/secret", mode: 0)
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: scratch.path)
        let folder = try DeviceFolder.create(at: scratch.file("device"), owner: owner)
        let device = try Device(directory: folder)
        let refused = #expect(throws: DeviceError.self) { try scratch.install(on: device) }
        #expect(refused?.kind == .system)
        scratch.expectNothingLeft()
    }
}
