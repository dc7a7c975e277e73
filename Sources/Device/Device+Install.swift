internal import Posix
internal import PropertyLists
internal import SandboxRules
public import SystemPackage

extension Device {
    /// Installs the app in `source`; the same identifier again is an upgrade.
    ///
    /// The bundle is copied aside, checked and sealed, and then published at once: killed at any point, the
    /// device has the app that was there, or the new one. An upgrade gets new containers for bundle and data;
    /// the data moves to its new container whole, `tmp` is emptied.
    ///
    /// - Parameters:
    ///   - entitlements: a property list that goes before the bundle's own.
    ///   - upgrade: what is done with an installed app of the same identifier; asked before the bundle is
    ///     copied where that is known then, and again before anything of that app is touched.
    ///   - progress: told the bytes written so far and how many there are, of an archive by its own word, on
    ///     this thread, often; what it throws ends the work.
    /// - Throws: `notAnApp` with what is wrong with the bundle; nothing is left behind.
    public func install(
        from source: InstallSource, entitlements: [UInt8]? = nil, upgrade: Upgrade = Upgrade(),
        progress: @escaping (_ bytesDone: Int64, _ totalBytes: Int64) throws(Errno) -> Void = { _, _ in }
    ) throws(DeviceError) -> InstallResult {
        try performing("install \(source.title)") {
            try checkBeforeCopy(source, entitlements, upgrade)
            return try staged(entitlements: entitlements) { staging in
                switch source {
                case .bundle(let directory, let name):
                    let total = try FileWalk.fileBytes(below: directory)
                    let writer = BundleWriter(root: try staging.makeBundle(name), limits: limits) {
                        (bytes) throws(Errno) in try progress(bytes, total)
                    }
                    try BundleCopy.copy(from: directory, to: writer)
                    return name
                case .archive(let file):
                    let total = try IpaArchive.unpackedBytes(of: file, limits: limits)
                    return try IpaArchive(file: file, limits: limits).unpack { name in
                        _ = try BundleInspection.checkedName(name)
                        return BundleWriter(root: try staging.makeBundle(name), limits: limits) {
                            (bytes) throws(Errno) in try progress(bytes, total)
                        }
                    }
                }
            } publish: { staging, app in
                try publish(app, from: staging, upgrade: upgrade)
            }
        }
    }

    /// Refuses at once what needs no copy to be refused.
    private func checkBeforeCopy(
        _ source: InstallSource, _ entitlements: [UInt8]?, _ upgrade: Upgrade
    ) throws {
        if let entitlements {
            do { _ = try Entitlements(entitlements) } catch { throw DeviceError(.badValue, error.reason) }
        }
        guard case .bundle(let directory, let name) = source else { return }
        guard try ItemStamp(of: directory).isDirectory else {
            throw DeviceError(
                .notAnApp, "\(name) is not a directory: give an .app directory, or an .ipa file")
        }
        _ = try BundleInspection.checkedName(name)
        let info = try BundleInspection.infoPlist(directory, name: name)
        if let installed = try catalogue.app(info.identifier) { try upgrade.willReplace(installed, nil) }
    }

    /// Runs `fill` (which puts a bundle into staging and returns its directory's name), seals the result,
    /// runs `publish`; leaves no staging behind.
    func staged(
        entitlements: [UInt8]?, fill: (borrowing Staging) throws -> String,
        publish: (borrowing Staging, StagedApp) throws -> InstallResult
    ) throws -> InstallResult {
        let staging = try Staging(in: directory)
        do {
            let name = try fill(staging)
            try reached(.copied)
            let app = try seal(staging, directoryName: name, entitlements: entitlements)
            try reached(.sealed)
            let result = try publish(staging, app)
            try staging.remove()
            try reached(.ended)
            return result
        } catch {
            if !(error is ProcessEnded) { try? staging.remove() }
            throw error
        }
    }

    private func seal(
        _ staging: borrowing Staging, directoryName: String, entitlements: [UInt8]?
    ) throws -> StagedApp {
        let bundle = try staging.openBundle(directoryName)
        let inspection = try BundleInspection(
            bundle.raw, directoryName: directoryName, option: entitlements, limits: limits)
        let seal = try BundleSeal(of: bundle.raw).bytes
        let container = try staging.openBundleContainer()
        try FileTree.create(container.raw, BundleSeal.fileName, seal)
        return StagedApp(bundle: inspection, sealDigest: Digest.of(seal))
    }
}

extension EntitlementsSource {
    /// The entitlements that an upgrade leaves in force: its own, or where it brings none the installed ones.
    static func inForce(
        _ bundle: BundleInspection, replacing old: InstalledApp?
    ) -> (bytes: [UInt8]?, source: EntitlementsSource, groups: [GroupIdentifier], areKept: Bool) {
        // A placeholder has no entitlements, and the groups that were restored with its data.
        if bundle.source == .none, let old, old.entitlements != nil || old.isPlaceholder {
            return (old.entitlements, old.entitlementsSource, old.groups, old.entitlements != nil)
        }
        return (bundle.entitlements, bundle.source, bundle.groups, false)
    }
}
