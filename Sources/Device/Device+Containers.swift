internal import Foundation
public import Posix
public import SandboxRules

extension Device {
    /// The app's data container (`Documents`, `Library`, `SystemData`, `tmp`), open for reading.
    public func openDataContainer(_ app: InstalledApp) throws(DeviceError) -> Descriptor {
        try performing("open the data of \(app.name)") { try FileTree.openDirectory(directory, app.dataPath) }
    }

    /// A directory of the device for files that are nobody's: emptied at each start.
    public func openScratch() throws(DeviceError) -> Descriptor {
        try performing("open the device's scratch folder") {
            try FileTree.openDirectory(directory, Layout.staging)
        }
    }

    /// The app's bundle container (`Name.app` and its seal), open for reading.
    ///
    /// - Throws: `notAnApp` for a placeholder.
    public func openBundleContainer(_ app: InstalledApp) throws(DeviceError) -> Descriptor {
        let container = try bundleContainer(of: app)
        return try performing("open the bundle of \(app.name)") {
            try FileTree.openDirectory(directory, container)
        }
    }

    /// The app's bundle (`Name.app`), open for reading.
    ///
    /// - Throws: `notAnApp` for a placeholder.
    public func openBundle(_ app: InstalledApp) throws(DeviceError) -> Descriptor {
        let path = "\(try bundleContainer(of: app))/\(app.bundleName)"
        return try performing("open the bundle of \(app.name)") {
            try FileTree.openDirectory(directory, path)
        }
    }

    /// The container of `group`, open for reading.
    ///
    /// - Throws: `badValue` where no app of this device has the group.
    public func openGroupContainer(_ group: GroupIdentifier) throws(DeviceError) -> Descriptor {
        let container = try container(of: group)
        return try performing("open the group \(group)") {
            // Its mode is an app's to change, and it is not that app's alone.
            try FileTree.openClosedDirectory(directory, Layout.groupContainer(container))
        }
    }

    func container(of group: GroupIdentifier) throws(DeviceError) -> UUID {
        let container = try performing("open the group \(group)") { try catalogue.groupContainer(group) }
        if let container { return container }
        throw DeviceError(.badValue, "no app on this device has the group \(group): see apphome info APP")
    }

    /// How the bundle's files differ from what was installed: nothing for a sound one.
    ///
    /// - Throws: `system` where the seal itself was changed.
    public func verifySeal(of app: InstalledApp) throws(DeviceError) -> [SealDifference] {
        let container = try openBundleContainer(app)
        let bundle = try openBundle(app)
        return try performing("check the seal of \(app.name)") {
            let bytes = try FileTree.read(container.raw, BundleSeal.fileName, limitBytes: 1 << 30) ?? []
            guard Digest.of(bytes) == app.sealDigest, let seal = BundleSeal(bytes) else {
                throw DeviceError(
                    .system, "the seal of \(app.name) was changed or removed; install the app again")
            }
            return seal.differences(to: try BundleSeal(of: bundle.raw))
        }
    }

    private func bundleContainer(of app: InstalledApp) throws(DeviceError) -> String {
        guard let container = app.bundleContainer else {
            throw DeviceError(
                .notAnApp, "\(app.name) is a placeholder: its data is here, its bundle is not; install it")
        }
        return Layout.bundleContainer(container)
    }
}
