import Foundation
import Posix
import SystemPackage
import Testing
import Wire

@testable import Device

/// A folder on the disk that goes with the value.
struct Scratch: ~Copyable {
    let path: String

    init() throws {
        // Not /tmp: that can be in memory, without what the device's file system has.
        path = "/var/tmp/apphome-device-tests-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        do {
            let parent = try Descriptor("/var/tmp", flags: O_RDONLY)
            try TreeRemoval.remove(parent.raw, (path as NSString).lastPathComponent)
        } catch {
            Issue.record("\(path) stays behind: \(error)")
        }
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    func write(_ name: String, _ bytes: [UInt8] = Array("x".utf8), mode: Int = 0o644) throws {
        let place = file(name)
        let parent = (place as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(fileURLWithPath: place))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: place)
    }

    func write(plist name: String, _ values: [String: Any]) throws {
        try write(name, try plistBytes(values))
    }

    /// Makes `NAME.app` with an Info.plist of `identifier` and the `more` keys.
    func bundle(_ name: String = "Recipes", id: String = "org.example.recipes", more: [String: Any] = [:])
        throws
    {
        let values: [String: Any] = ["CFBundleIdentifier": id, "CFBundleShortVersionString": "1.0"]
        try write(plist: "\(name).app/Info.plist", values.merging(more) { $1 })
    }

    func open(_ name: String) throws -> Descriptor { try Descriptor(file(name), flags: O_RDONLY) }

    func device(
        limits: InstallLimits = InstallLimits(), endingAfter step: InstallStep? = nil
    ) throws -> Device {
        let folder = try DeviceFolder.create(at: file("device"))
        return try Device(directory: folder, owner: nil, limits: limits) { reached in
            if reached == step { throw ProcessEnded() }
        }
    }

    /// Installs the bundle `NAME.app` that `bundle` made.
    @discardableResult
    func install(
        _ name: String = "Recipes", on device: Device, entitlements: [UInt8]? = nil,
        upgrade: Upgrade = Upgrade()
    ) throws -> InstallResult {
        let source = try open("\(name).app")
        return try device.install(
            from: .bundle(directory: source.raw, name: "\(name).app"), entitlements: entitlements,
            upgrade: upgrade)
    }

    /// The error that installing `NAME.app` on a fresh device ends with; afterwards the device must be as
    /// before.
    func refusal(_ name: String = "Recipes", limits: InstallLimits = InstallLimits()) throws -> DeviceError? {
        let device = try device(limits: limits)
        let refused = #expect(throws: DeviceError.self) { try install(name, on: device) }
        #expect(try device.apps().isEmpty)
        expectNothingLeft()
        return refused
    }

    /// Staging and the containers are empty.
    func expectNothingLeft() {
        let folders = [
            Layout.staging, Layout.bundles, Layout.data, Layout.groups, Layout.containerStaging,
        ]
        for folder in folders {
            #expect(names("device/\(folder)") == [], "left behind in \(folder)")
        }
    }

    func names(_ path: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: file(path)))?.sorted() ?? ["(missing)"]
    }

    func text(_ path: String) -> String? {
        FileManager.default.contents(atPath: file(path)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// `path` in the app's data container, relative to this folder.
    func home(_ app: InstalledApp, _ path: String = "") -> String { "device/\(app.dataPath)/\(path)" }

    func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: file(name), withDestinationPath: target)
    }
}

extension Owner {
    init(of stamp: ItemStamp) { self.init(uid: stamp.uid, gid: stamp.gid) }
}

func sortedNames(in directory: Int32) throws -> [String] {
    try DirectoryEntries.names(in: directory).map { name in
        String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
    .sorted()
}

func plistBytes(_ values: [String: Any]) throws -> [UInt8] {
    Array(try PropertyListSerialization.data(fromPropertyList: values, format: .xml, options: 0))
}

extension Upgrade {
    static var droppingCaches: Upgrade {
        var upgrade = Upgrade()
        upgrade.dropsCaches = true
        return upgrade
    }
}

func entitlementsPlist(groups: [String]) throws -> [UInt8] {
    try plistBytes(["com.apple.security.application-groups": groups])
}
