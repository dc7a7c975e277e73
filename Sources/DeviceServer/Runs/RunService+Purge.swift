internal import Device
internal import HomeFiles
internal import Posix
internal import SandboxRules
internal import SystemPackage
internal import Wire

/// Emptying `Library/Caches` and `tmp` of apps that do not run (SPEC 9).
extension RunService {
    /// - Throws: where the one app that was named runs.
    func purge(_ arguments: PurgeArguments) throws -> [PurgeReport] {
        let apps = try device.apps()
        return try reports(of: arguments).map { report in
            var report = report
            let app = apps.first { $0.bundleID.value == report.bundleID }
            report.undoBytes = app.flatMap { try? device.keptCopy(of: $0) }?.bytes ?? 0
            return report
        }
    }

    private func reports(of arguments: PurgeArguments) throws -> [PurgeReport] {
        if let name = arguments.app {
            let app = try device.app(named: name)
            let report = try arguments.isDryRun ? weigh(app) : purge(app)
            guard report.kept == nil else {
                throw CommandFailure(
                    "\(app.name) is running and keeps its caches\(running(app)); end it first")
            }
            return [report]
        }
        guard let wanted = arguments.bytesToFree else {
            return try device.apps().map { purgeOrKeep($0, isDryRun: arguments.isDryRun) }
        }
        return try purge(untilFreed: wanted, isDryRun: arguments.isDryRun)
    }

    /// Purges until so many bytes became free, the apps with most to take first: few apps are hit then.
    /// - Parameter isDryRun: whether only to say what that would be.
    func purge(untilFreed wantedBytes: Int64, isDryRun: Bool = false) throws -> [PurgeReport] {
        let apps = try device.apps().compactMap { app -> (app: InstalledApp, bytes: Int64)? in
            do {
                let sizes = try device.sizes(of: app)
                return (app, sizes.caches.addingSaturated(sizes.temporary))
            } catch {
                // It may just be replaced or removed, and keeps none of the others back.
                log.write("cannot measure \(app.bundleID): \(error)")
                return nil
            }
        }
        var reports: [PurgeReport] = []
        var freedBytes: Int64 = 0
        for (app, bytes) in apps.sorted(by: { $0.bytes > $1.bytes }) where bytes > 0 {
            guard freedBytes < wantedBytes else { break }
            reports.append(purgeOrKeep(app, isDryRun: isDryRun))
            freedBytes += reports.last?.freedBytes ?? 0
        }
        return reports
    }

    /// One app that cannot be purged keeps none of the others back.
    private func purgeOrKeep(_ app: InstalledApp, isDryRun: Bool) -> PurgeReport {
        do { return try isDryRun ? weigh(app) : purge(app) } catch {
            let reason = CommandFailure(answering: error).message
            log.write("cannot purge \(app.bundleID): \(reason)")
            return PurgeReport(bundleID: app.bundleID.value, name: app.name, freedBytes: 0, kept: reason)
        }
    }

    /// What a purge of the app would free.
    private func weigh(_ app: InstalledApp) throws -> PurgeReport {
        var report = PurgeReport(bundleID: app.bundleID.value, name: app.name, freedBytes: 0)
        guard !isRunning(app) else {
            report.kept = PurgeReport.running
            return report
        }
        try views.withTree(of: app) { (tree) throws(Errno) in
            for path in Self.purged {
                // One that is missing is empty, and one that cannot be entered is left.
                _ = try? tree.withDirectory(at: path) { (directory) throws(Errno) in
                    report.freedBytes += tree.bytesOnDisk(below: directory)
                }
            }
        }
        return report
    }

    private static let purged = [["Library", "Caches"], ["tmp"]]

    private func purge(_ listed: InstalledApp) throws -> PurgeReport {
        var app = listed
        var report = PurgeReport(bundleID: app.bundleID.value, name: app.name, freedBytes: 0)
        // Looked at before each item: an app without `run` may open its first file at any time; and a daemon
        // that ends leaves the rest.
        let mayGoOn = { !self.lowDisk.isEnded && !self.views.isRunning(listed) }
        let purged = try running.whileNotRunning(app.bundleID.value) {
            // It may be another one since it was listed, in other containers, or gone.
            guard let there = try device.apps().first(where: { $0.bundleID == listed.bundleID }) else {
                return true
            }
            app = there
            guard mayGoOn() else { return false }
            try views.withTree(of: app) { (tree) throws(Errno) in
                for path in Self.purged {
                    do throws(Errno) {
                        try tree.withDirectory(at: path) { (directory) throws(Errno) in
                            let above = path.joined(separator: "/") + "/"
                            let taken = tree.paths(below: directory, most: views.purged.room)
                            views.purged.add(taken.map { above + $0 }, of: app.bundleID.value)
                            let done = try tree.empty(directory, while: mayGoOn)
                            report.freedBytes += done.freedBytes
                            report.leftItems += done.leftItems
                        }
                    } catch {
                        // One that is missing is empty; one that cannot be entered is left.
                        let isMissing = error == .noSuchFileOrDirectory || error == .notDirectory
                        if !isMissing { report.leftItems += 1 }
                    }
                }
            }
            return mayGoOn()
        }
        if purged != true { report.kept = PurgeReport.running }
        guard report.freedBytes > 0 else { return report }
        views.events.record(
            app: app.bundleID.value, event: "purged", path: nil, detail: byteCount(report.freedBytes))
        log.write("purged \(app.bundleID.value): \(report.freedBytes) bytes")
        return report
    }

    /// Whether a program runs as the app, or a file of its home is open.
    func isRunning(_ app: InstalledApp) -> Bool {
        !running.programs(of: app.bundleID.value).isEmpty || views.isRunning(app)
    }

    private func running(_ app: InstalledApp) -> String {
        let names = running.programs(of: app.bundleID.value).map { "\($0.command), pid \($0.pid)" }
        return names.isEmpty ? ", for files of its home are open" : " (\(names.joined(separator: "; ")))"
    }
}
