internal import Foundation
public import Posix
internal import SandboxRules
internal import SystemPackage

/// What is kept of apps to be compared later; it goes with the app.
extension Device {
    /// Opens a snapshot's folder.
    ///
    /// - Returns: the folder, and its path.
    public func openSnapshot(
        _ name: String, of app: InstalledApp
    ) throws(DeviceError) -> (folder: SharedDescriptor, path: String) {
        try performing("open the snapshot") {
            do {
                let path = try Self.snapshotPath(name, of: app)
                let folder = SharedDescriptor(try FileTree.openDirectory(directory, path))
                return (folder, try Self.path(of: folder.raw))
            } catch Errno.noSuchFileOrDirectory {
                throw DeviceError(
                    .badValue, "\(app.name) has no snapshot \(name): see apphome snapshot \(app.name) --list")
            }
        }
    }

    /// - Returns: the names of an app's snapshots.
    public func snapshots(of app: InstalledApp) throws(DeviceError) -> [String] {
        try performing("list the snapshots of \(app.name)") {
            let path = "\(Layout.snapshots)/\(app.bundleID.value)"
            guard try FileTree.exists(directory, path) else { return [] }
            let folder = try FileTree.openDirectory(directory, path)
            return try DirectoryEntries.names(in: folder.raw).map(\.nameText).sorted()
        }
    }

    /// Has `fill` write into an empty folder, which becomes the app's snapshot `name` in one step.
    public func addSnapshot<Result>(
        _ name: String, of app: InstalledApp, _ fill: (SharedDescriptor) throws -> Result
    ) throws -> Result {
        let path = try Self.snapshotPath(name, of: app)
        let isThere = try performing("look for the snapshot") { try FileTree.exists(directory, path) }
        guard !isThere else { throw Self.snapshotIsThere(name, of: app) }
        let aside = try TemporaryFolder(in: self)
        let result = try fill(aside.folder)
        try performing("keep the snapshot") {
            try publishing.withLock { _ in
                // It would be nobody's.
                try refuseIfChanged(app)
                let parent = "\(Layout.snapshots)/\(app.bundleID.value)"
                _ = try FileTree.ensureDirectory(directory, parent)
                do {
                    try FolderMove.move(aside.parent.raw, aside.name, to: path, in: directory)
                } catch Errno.fileExists {
                    throw Self.snapshotIsThere(name, of: app)
                }
            }
        }
        return result
    }

    public func removeSnapshot(_ name: String, of app: InstalledApp) throws(DeviceError) {
        _ = try openSnapshot(name, of: app)
        try performing("delete the snapshot") {
            // Never half of it is seen.
            let gone = "\(Layout.staging)/\(UUID().uuidString)"
            try FolderMove.move(directory, try Self.snapshotPath(name, of: app), to: gone, in: directory)
            try FolderMove.remove(gone, in: directory)
        }
    }

    /// A folder of the device that is removed with this value, or at the device's next start.
    public final class TemporaryFolder: Sendable {
        fileprivate let parent: SharedDescriptor
        fileprivate let name = UUID().uuidString
        public let folder: SharedDescriptor
        public let path: String

        public init(in device: Device) throws(DeviceError) {
            let parent = SharedDescriptor(try device.openScratch())
            self.parent = parent
            let name = name
            (folder, path) = try device.performing("make a folder") {
                let folder = SharedDescriptor(try FileTree.makeDirectory(parent.raw, name, mode: 0o700))
                return (folder, try Device.path(of: folder.raw))
            }
        }

        deinit { try? TreeRemoval.remove(parent.raw, name) }
    }

    private static func path(of folder: Int32) throws(Errno) -> String {
        guard let path = pathOfDescriptor(folder) else { throw .noSuchFileOrDirectory }
        return path
    }

    private static func snapshotIsThere(_ name: String, of app: InstalledApp) -> DeviceError {
        DeviceError(
            .alreadyThere,
            "\(app.name) has a snapshot \(name) already: "
                + "delete it first with: apphome snapshot \(app.name) --delete \(name)")
    }

    private static func snapshotPath(_ name: String, of app: InstalledApp) throws(DeviceError) -> String {
        guard !name.isEmpty, !name.hasPrefix("."), name.utf8.count <= 200, !name.hasSlash,
            name.printableLine == name
        else {
            throw DeviceError(.badValue, "\(name) is no name of a snapshot: use letters, digits and dashes")
        }
        return "\(Layout.snapshots)/\(app.bundleID.value)/\(name)"
    }
}
