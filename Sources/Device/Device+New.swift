internal import Posix
internal import PropertyLists

extension Device {
    /// Makes a small bundle and installs it, as `install` does.
    ///
    /// - Parameter upgrade: what is done with an app that has the identifier; nil: it is refused.
    /// - Throws: `alreadyThere` where an app (or placeholder) has the identifier; `badValue` for a source
    ///   plist without an identifier given, and for names that cannot be; `notAnApp` for content that no
    ///   bundle may hold.
    public func new(_ app: NewApp, upgrade: Upgrade? = nil) throws(DeviceError) -> InstallResult {
        try performing("make \(app.name)") {
            let entitlements = try app.entitlements()
            try checkBeforeCopy(app, upgrade)
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
                var refusing = Upgrade()
                refusing.willReplace = { there, _ in try self.refuse(there) }
                return try publish(staged, from: staging, upgrade: upgrade ?? refusing)
            }
        }
    }

    /// Refuses at once what needs no copy to be refused.
    private func checkBeforeCopy(_ app: NewApp, _ upgrade: Upgrade?) throws {
        guard (try? BundleInspection.checkedName(app.bundleName)) != nil else {
            throw DeviceError(
                .badValue,
                "\"\(app.name)\" is no name for an app: it has a slash or a control character, is empty, too"
                    + " long, or begins with a dot; give another name")
        }
        if let content = app.content, try !ItemStamp(of: content).isDirectory {
            throw DeviceError(
                .badValue, "the content of \(app.name) is not a directory; give one with --content")
        }
        let base = try app.infoPlist ?? app.content.flatMap { try BundleInspection.plistBytes($0) }
        let info = try InfoPlist(app.completed(base: base))
        guard let there = try catalogue.app(info.identifier) else { return }
        guard let upgrade else { return try refuse(there) }
        try upgrade.willReplace(there, nil)
    }

    private func refuse(_ there: InstalledApp) throws {
        let way =
            there.isPlaceholder
            ? ", its data without a bundle; install that (apphome install PATH), or give another --id"
            : "; give another --id, or --replace it: its data stays"
        throw DeviceError(
            .alreadyThere, "\(there.name) (\(there.bundleID)) is on this device already\(way)")
    }
}
