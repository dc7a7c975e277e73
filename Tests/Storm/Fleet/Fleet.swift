internal import CLinux
internal import Foundation
internal import Glibc
internal import Posix
internal import TestKit

/// Devices of one account, each with a folder, a daemon and a mount of its own, on one real store.
struct Fleet: ~Copyable {
    static let app = "Notes"

    let folder: String
    let store: FleetStore
    let devices: [FleetDevice]
    /// Leave it all for a person to look at.
    var isKept = false

    /// Makes the devices and signs them in; nothing is mounted yet.
    init(_ count: Int, on store: FleetStore) throws {
        let folder = temporaryParent + "/apphome-test-fleet-\(UUID().uuidString.prefix(8).lowercased())"
        let variables = store.variables
        self.folder = folder
        self.store = store
        devices = (0..<count).map { FleetDevice(index: $0, folder: folder + "/d\($0)", variables: variables) }
        let url = store.url(in: folder)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        for device in devices {
            try device.tell("new", Self.app, "--share")
            try device.tell("cloud", "account", "set", url)
        }
    }

    func mountAll(_ options: String...) throws {
        for device in devices { try device.mount(options) }
    }

    func unmountAll() throws {
        for device in devices { try device.unmount() }
    }

    /// Syncs all of them until nothing is left to send and each shows the same.
    /// - Returns: what still differs when the deadline has passed; nothing where they are equal.
    func converge(seconds: Double = 60) throws -> [String] {
        let deadline = Deadline(seconds: seconds)
        while true {
            var findings = try sync()
            // What the last one sent, the first ones have not seen.
            if findings.isEmpty { findings = try sync() + differences() }
            if findings.isEmpty || deadline.hasPassed { return findings }
        }
    }

    private func sync() throws -> [String] {
        try devices.compactMap { device in
            let outcome = try device.run("cloud", "sync", Self.app, "--wait")
            return outcome.status == 0
                ? nil
                : "device \(device.index): sync: exit \(outcome.status): \(outcome.text)\(outcome.errors)"
        }
    }

    /// What differs between the first device and the others: content and all that travels with it, and which
    /// conflicts there are.
    func differences() throws -> [String] {
        guard let first = devices.first else { return [] }
        let expected = try TreeListing(below: first.documents)
        let conflicts = try first.conflicts()
        return try devices.dropFirst().flatMap { device in
            var found = try TreeListing(below: device.documents).differences(from: expected)
            let others = try device.conflicts()
            if others != conflicts { found.append("conflicts: \(others), not \(conflicts)") }
            return found.map { "device \(device.index): \($0)" }
        }
    }

    /// Whether the store holds these bytes anywhere: its objects are copied to a folder and searched.
    func storeHolds(_ text: String) throws -> Bool {
        let copy = folder + "/copy-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: copy) }
        try devices[0].tell("cloud", "account", "copy", "file://" + copy)
        return try FileManager.default.subpathsOfDirectory(atPath: copy).contains { path in
            FileManager.default.contents(atPath: copy + "/" + path)?.range(of: Data(text.utf8)) != nil
        }
    }

    deinit {
        for device in devices { device.end() }
        if !isKept { try? FileManager.default.removeItem(atPath: folder) }
    }
}
