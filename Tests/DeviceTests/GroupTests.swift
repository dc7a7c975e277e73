import Foundation
import Posix
import SandboxRules
import Testing
import Wire

@testable import Device

/// A group's container is there as long as an app has the group.
@Suite struct GroupTests {
    @Test func anAppsGroupsLeadToTheirContainers() throws {
        let scratch = try Scratch()
        let device = try Self.device(scratch)
        let app = try device.app(named: "Recipes")
        let groups = try device.groupContainers(of: app)
        #expect(groups.map(\.group.value) == ["group.kitchen", "group.own"])
        #expect(
            groups.first?.owners.map(\.value) == ["org.example.ledger", "org.example.recipes"])
        for group in groups {
            let bytes = try #require(
                FileManager.default.contents(
                    atPath: scratch.file("device/\(group.path)/\(ContainerMetadata.fileName)")))
            let values =
                try PropertyListSerialization.propertyList(from: bytes, format: nil) as? [String: Any]
            #expect(values?["MCMMetadataIdentifier"] as? String == group.group.value)
            #expect(values?["MCMMetadataContentClass"] as? Int == 7)
            #expect(values?["MCMMetadataUUID"] as? String == group.container.uuidString)
        }
        #expect(try device.groupContainer(named: "group.own", of: app) == groups.last)
    }

    @Test func anAppWithoutTheEntitlementGetsNullAndTheReason() throws {
        let scratch = try Scratch()
        let device = try Self.device(scratch)
        let ledger = try device.app(named: "Ledger")
        let refused = #expect(throws: DeviceError.self) {
            try device.groupContainer(named: "group.own", of: ledger)
        }
        #expect(refused?.message.hasPrefix("null: ") == true)
        #expect(refused?.message.contains("com.apple.security.application-groups") == true)
    }

    @Test func aGroupStaysWithItsOtherOwnersAndGoesWithTheLast() throws {
        let scratch = try Scratch()
        let device = try Self.device(scratch)
        try Self.write("shared", in: "group.kitchen", scratch, device)
        #expect(try device.uninstall(device.app(named: "Recipes")) == [])
        #expect(try device.groupContainers().map(\.group.value) == ["group.kitchen"])
        #expect(scratch.names("device/\(Layout.groups)").count == 1)
        let kitchen = try #require(try device.groupContainers().first)
        #expect(scratch.text("device/\(kitchen.path)/shared") == "x")
        #expect(try device.uninstall(device.app(named: "Ledger")) == [])
        #expect(try device.groupContainers().isEmpty)
        scratch.expectNothingLeft()
    }

    @Test(arguments: RemovalStep.allCases)
    func aRemovalKilledAtAnyStepLeavesTheGroupsOfOthersAlone(step: RemovalStep) throws {
        let scratch = try Scratch()
        do {
            let device = try Self.device(scratch)
            try Self.write("shared", in: "group.kitchen", scratch, device)
        }
        do {
            let folder = try DeviceFolder.create(at: scratch.file("device"))
            let ending = try Device(directory: folder, owner: nil, limits: InstallLimits()) { removed in
                if removed == step { throw ProcessEnded() }
            } reached: { _ in
            }
            let app = try ending.app(named: "Recipes")
            #expect(throws: DeviceError.self) { try ending.uninstall(app) }
        }
        let device = try scratch.device()
        _ = try device.recover()
        let left = try device.groupContainers()
        #expect(left.map(\.group.value) == ["group.kitchen"])
        #expect(scratch.names("device/\(Layout.groups)") == left.map(\.container.uuidString))
        #expect(scratch.text("device/\(try #require(left.first).path)/shared") == "x")
    }

    @Test(arguments: InstallStep.allCases)
    func anUpgradeThatGivesAGroupUpIsKilledAtAnyStepAndTheGroupIsThereOrNot(step: InstallStep) throws {
        let scratch = try Scratch()
        do { _ = try Self.device(scratch) }
        do {
            let ending = try scratch.device(endingAfter: step)
            #expect(throws: DeviceError.self) {
                try scratch.install(
                    on: ending, entitlements: entitlementsPlist(groups: ["group.kitchen", "group.new"]))
            }
        }
        let device = try scratch.device()
        _ = try device.recover()
        let app = try device.app(named: "Recipes")
        let names = try device.groupContainers().map(\.group.value)
        let isNew = app.groups.map(\.value).contains("group.new")
        #expect(names == ["group.kitchen", isNew ? "group.new" : "group.own"])
        #expect(try device.groupContainers(of: app).map(\.group) == app.groups)
        #expect(
            scratch.names("device/\(Layout.groups)")
                == (try device.groupContainers().map(\.container.uuidString).sorted()))
    }

    /// Recipes has both groups, Ledger only the first.
    private static func device(_ scratch: borrowing Scratch) throws -> Device {
        try scratch.bundle()
        try scratch.bundle("Ledger", id: "org.example.ledger")
        let device = try scratch.device()
        try scratch.install(
            on: device, entitlements: entitlementsPlist(groups: ["group.kitchen", "group.own"]))
        try scratch.install(
            "Ledger", on: device, entitlements: entitlementsPlist(groups: ["group.kitchen"]))
        return device
    }

    private static func write(
        _ name: String, in group: String, _ scratch: borrowing Scratch, _ device: Device
    ) throws {
        let container = try #require(try device.groupContainers().first { $0.group.value == group })
        try scratch.write("device/\(container.path)/\(name)")
    }
}
