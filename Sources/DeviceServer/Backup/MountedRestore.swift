internal import Device
internal import Glibc
internal import HomeTree
internal import Posix
internal import SandboxRules
internal import Wire

/// The mounts of what a restore replaces: they keep it back, or go over to what comes (`--remount`).
///
/// Only while nobody works in them: a program that has a file open, or that `run` has started, would go on
/// with half of what was and half of what comes.
struct MountedRestore {
    let service: BackupService
    let remounts: Bool
    /// What is done to the app, for errors.
    var what = "restored"

    /// A file that was just closed is so for the kernel a moment later.
    private static let closingSeconds = 2.0
    private static let pauseMicroseconds: UInt32 = 20_000

    /// Runs `body` while the app cannot be mounted, run or purged.
    /// - Parameter body: gets the app as it is after what was waited for, and the change that it is in.
    /// - Throws: where it is mounted, and that is in the way.
    func whileBarred<R>(_ app: InstalledApp, _ body: (InstalledApp, AppChange) throws -> R) throws -> R {
        let bundleID = app.bundleID.value
        let change = try AppChange(of: AppReference(app), what, .whenNotRunning, service.mounts)
        defer { change.end() }
        let app = try service.device.app(named: bundleID)
        try change.bar(AppReference(app)) { (open) throws(CommandFailure) in
            try open.checkMayMove(app.name, what, remounts: remounts)
        }
        defer {
            // Before a mount may come again. What wants the app syncs it again, whatever became of this.
            service.cloud.appHasChanged(bundleID)
        }
        if remounts { try refuseInUse(app, []) }
        return try body(app, change)
    }

    /// Refuses where programs use what is to be replaced: files are open, or the app of a group runs.
    /// - Parameter app: nil where it was not there.
    func refuseInUse(_ app: InstalledApp?, _ groups: [GroupIdentifier]) throws {
        var keys = groups.map { TreeSubject.key(ofGroup: $0.value) }
        if let app {
            if !remounts { try service.views.refuseInUse(app) }
            keys.append(app.bundleID.value)
        }
        try groups.forEach(refuseInUse)
        let deadline = Deadline(seconds: Self.closingSeconds)
        while let key = keys.first(where: isOpen) {
            guard !deadline.hasPassed else {
                let whose = key == app?.bundleID.value ? app?.name ?? key : "its group"
                throw CommandFailure(
                    "files of \(whose) are open\(named(key)), and nothing was \(what): end the programs"
                        + " that use them first")
            }
            usleep(Self.pauseMicroseconds)
        }
    }

    private func refuseInUse(_ group: GroupIdentifier) throws {
        let members = try service.device.apps().filter { $0.groups.contains(group) }
        if let running = members.first(where: {
            !service.mounts.running.programs(of: $0.bundleID.value).isEmpty
        }) {
            throw CommandFailure(
                "\(running.name) is running and uses the group \(group), which cannot be restored now: "
                    + "end it first (apphome info \(shellQuoted(running.name)) names it)")
        }
        let views = service.groups.viewsOfPersons(of: group)
        guard views.isEmpty || remounts else {
            throw CommandFailure.mounted(
                "the group \(group)", at: views, "restored", or: ", or move it over: --remount")
        }
    }

    /// Some of what is open, in brackets.
    private func named(_ key: String) -> String {
        let paths = service.views.shownTree(key: key)?.openPaths ?? []
        let more = paths.count > Self.mostNamed ? ", …" : ""
        return paths.isEmpty ? "" : " (\(paths.prefix(Self.mostNamed).joined(separator: ", "))\(more))"
    }

    private static let mostNamed = 5

    private func isOpen(_ key: String) -> Bool {
        (service.views.shownTree(key: key)?.openHandleCount ?? 0) > 0
    }

    /// Shows the new containers through each open tree of the app and of its groups. Also without `remounts`:
    /// the device's own mount of a group always goes over, for no person asked for it.
    func moveOver(_ app: InstalledApp, _ groups: [GroupIdentifier]) throws {
        if let tree = service.views.shownTree(of: app) {
            try tree.replaceContainer(
                try service.device.openDataContainer(app), staging: try service.device.openStaging(of: app))
        }
        for group in groups {
            guard let tree = service.views.shownTree(key: TreeSubject.key(ofGroup: group.value)) else {
                continue
            }
            try tree.replaceContainer(
                try service.device.openGroupContainer(group),
                staging: try service.device.openStaging(of: group))
        }
    }
}
