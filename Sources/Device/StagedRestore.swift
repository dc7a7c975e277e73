internal import Foundation
public import Posix
public import SandboxRules
internal import SystemPackage

/// What a restore brings for one app, to be filled before `Device.publish` takes it to its place.
public final class StagedRestore {
    /// A container that is being filled.
    public struct Container {
        /// Nil: the app's own data.
        public let group: GroupIdentifier?
        /// Empty at first.
        public let directory: SharedDescriptor
        /// The container that it will replace; nil where there is none.
        public let replaced: SharedDescriptor?

        let id: UUID
        let old: UUID?
        var kind: Restoration.Kind { group == nil ? .data : .group }
    }

    public let bundleID: BundleIdentifier
    /// The app that is there; nil where a placeholder will be.
    public let app: InstalledApp?
    public let containers: [Container]

    let version: String?
    /// Those that a placeholder has.
    let groups: [String]
    let name: String
    private let staging: Descriptor
    let directory: Descriptor

    init(
        _ bundleID: BundleIdentifier, version: String?, replacing app: InstalledApp?, groups: [String],
        in staging: consuming Descriptor, containers: (Int32) throws -> [Container]
    ) throws {
        self.bundleID = bundleID
        self.version = version
        self.app = app
        self.groups = groups
        name = UUID().uuidString
        let made = try FileTree.makeDirectory(staging.raw, name, mode: 0o700)
        self.containers = try containers(made.raw)
        directory = made
        self.staging = staging
    }

    func remove() throws(Errno) { try TreeRemoval.remove(staging.raw, name) }
}

/// What became of a restore.
public struct RestoreResult: Sendable {
    /// The app, or its placeholder.
    public let app: InstalledApp
    /// What a person should know, one line each.
    public let notes: [String]
}
