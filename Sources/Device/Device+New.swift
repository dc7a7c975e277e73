internal import Posix
internal import PropertyLists

extension Device {
    /// Makes a small bundle and installs it, as `install` does.
    ///
    /// - Throws: `alreadyThere` where an app (or placeholder) has the identifier; `badValue` for a source
    ///   plist without an identifier given, and for names that cannot be; `notAnApp` for content that no
    ///   bundle may hold.
    public func new(_ app: NewApp) throws(DeviceError) -> InstallResult {
        try performing("make \(app.name)") {
            let entitlements = try app.entitlements()
            try checkBeforeCopy(app)
            return try staged(entitlements: entitlements) { staging in
                let bundle = try staging.makeBundle(app.bundleName)
                if let content = app.content {
                    let root = try FileTree.openDirectory(bundle.raw, ".")
                    let writer = BundleWriter(root: root, limits: limits, report: { _ in })
                    try BundleCopy.copy(from: content, to: writer)
                }
                let own = try BundleInspection.plistBytes(bundle.raw)
                try TreeRemoval.remove(bundle.raw, "Info.plist")
                try FileTree.create(bundle.raw, "Info.plist", app.completed(base: app.infoPlist ?? own))
                return app.bundleName
            } publish: { staging, staged in
                var upgrade = Upgrade()
                upgrade.willReplace = { there, _ in try self.refuse(there) }
                return try publish(staged, from: staging, upgrade: upgrade)
            }
        }
    }

    /// Refuses at once what needs no copy to be refused.
    private func checkBeforeCopy(_ app: NewApp) throws {
        do {
            _ = try BundleInspection.checkedName(app.bundleName)
        } catch {
            throw DeviceError(.badValue, error.message)
        }
        if let content = app.content, try !ItemStamp(of: content).isDirectory {
            throw DeviceError(
                .badValue, "the content of \(app.name) is not a directory; give one with --content")
        }
        let base = try app.infoPlist ?? app.content.flatMap { try BundleInspection.plistBytes($0) }
        let info = try InfoPlist(app.completed(base: base))
        if let there = try catalogue.app(info.identifier) { try refuse(there) }
    }

    private func refuse(_ there: InstalledApp) throws {
        let way =
            there.isPlaceholder
            ? ", its data without a bundle; install that (apphome install PATH), or give another --id"
            : "; give another --id"
        throw DeviceError(
            .alreadyThere, "\(there.name) (\(there.bundleID)) is on this device already\(way)")
    }
}
