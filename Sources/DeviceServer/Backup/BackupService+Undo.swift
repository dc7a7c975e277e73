internal import Device
internal import SandboxRules
internal import Wire

/// What is kept for `backup restore --undo`.
extension BackupService {
    /// What a restore did, and what that keeps.
    func restored(_ outcome: RestoreOutcome) -> BackupAnswer {
        var outcome = outcome
        // It has taken place, whatever becomes of the look at it.
        let installed = (try? device.apps()) ?? []
        for index in outcome.apps.indices {
            let bundleID = outcome.apps[index].bundleID
            guard let app = installed.first(where: { $0.bundleID.value == bundleID }) else { continue }
            outcome.apps[index].name = installed.word(for: app.bundleID)
            guard outcome.apps[index].failure == nil else { continue }
            outcome.apps[index].undoBytes = (try? device.keptCopy(of: app))?.bytes ?? 0
        }
        return .restored(outcome)
    }

    /// Removes what is kept, or says what that is.
    func forgetUndo(of names: [String], _ isConfirmed: Bool) throws -> [UndoCopy] {
        let apps = try names.isEmpty ? device.apps() : names.map { try device.app(named: $0) }
        let copies = try apps.compactMap { app in try device.undoCopy(of: app).map { (app, $0) } }
        guard isConfirmed else { return copies.map(\.1) }
        var failure: (any Error)?
        for (app, _) in copies {
            do { try forgetUndo(of: app) } catch { failure = failure ?? error }
        }
        // Nobody finds it any more: what cannot be removed now goes at the next start.
        try device.removeDiscarded()
        if let failure { throw failure }
        return copies.map(\.1)
    }

    private func forgetUndo(of app: InstalledApp) throws {
        // A restore of the app may be reading it.
        let change = try AppChange(of: AppReference(app), "changed", .afterPurge, mounts)
        defer { change.end() }
        try device.forgetKeptCopy(of: app)
        log.write("forgot what the last restore of \(app.bundleID) replaced")
    }
}

extension Device {
    /// Nil where nothing is kept.
    func undoCopy(of app: InstalledApp) throws(DeviceError) -> UndoCopy? {
        let apps = try apps()
        return try keptCopy(of: app).map { kept in
            UndoCopy(
                bundleID: app.bundleID.value, name: apps.word(for: app.bundleID),
                time: kept.time == 0 ? nil : Timestamp(seconds: Double(kept.time)), bytes: kept.bytes)
        }
    }
}
