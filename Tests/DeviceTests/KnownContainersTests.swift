import Foundation
import SandboxRules
import Testing

@testable import Device

/// The names of containers that a device has and had: what an app may have written down.
@Suite struct KnownContainersTests {
    private func known(_ device: Device) throws -> [String: Bool] {
        Dictionary(
            uniqueKeysWithValues: try device.knownContainers().map {
                ("\($0.kind.rawValue) \($0.identifier) \($0.container.uuidString)", $0.isCurrent)
            })
    }

    private func names(_ app: InstalledApp) throws -> [String] {
        let bundle = try #require(app.bundleContainer)
        return [
            "data \(app.bundleID) \(app.dataContainer.uuidString)",
            "bundle \(app.bundleID) \(bundle.uuidString)",
        ]
    }

    @Test func thoseBeforeAnUpgradeAndARemovalAreKept() throws {
        let scratch = try Scratch()
        try scratch.bundle()
        let device = try scratch.device()
        let old = try scratch.install(on: device).app
        #expect(try known(device) == Dictionary(uniqueKeysWithValues: names(old).map { ($0, true) }))
        let new = try scratch.install(on: device).app
        var expected = Dictionary(uniqueKeysWithValues: try names(old).map { ($0, false) })
        for name in try names(new) { expected[name] = true }
        #expect(try known(device) == expected)
        _ = try device.uninstall(new)
        for name in try names(new) { expected[name] = false }
        #expect(try known(device) == expected)
    }

    @Test func aGroupsContainerIsKeptWhenItsLastAppGoes() throws {
        let scratch = try Scratch()
        let device = try scratch.device()
        var made = NewApp(name: "Ledger")
        made.groups = ["group.org.example"]
        let app = try device.new(made, upgrade: nil).app
        let container = try #require(try device.groupContainers().first?.container)
        let name = "group group.org.example \(container.uuidString)"
        #expect(try known(device)[name] == true)
        _ = try device.uninstall(app)
        #expect(try known(device)[name] == false)
    }

    @Test func ofManyTheNewestAreKept() throws {
        let scratch = try Scratch()
        let device = try scratch.device()
        let containers = (0..<FormerContainer.most + 3).map { _ in UUID() }
        try device.catalogue.write { database in
            for container in containers {
                try Catalogue.noteFormer(container.uuidString, .data, of: "org.example", database)
            }
        }
        let kept = try device.knownContainers().map(\.container)
        #expect(kept == Array(containers.dropFirst(3).reversed()))
    }
}
