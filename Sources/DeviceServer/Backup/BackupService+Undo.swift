internal import Device
internal import Posix
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
    /// - Parameter listing: what was said on this connection: what came since is not meant, and stays.
    func forgetUndo(of names: [String], _ isConfirmed: Bool, _ listing: UndoListing) throws -> [UndoCopy] {
        let apps = try names.isEmpty ? device.apps() : names.map { try device.app(named: $0) }
        let copies = try apps.compactMap { app in try device.keptCopy(of: app).map { (app, $0) } }
        guard isConfirmed else {
            listing.set(copies)
            return try copies.map { app, copy in try device.undoCopy(copy, of: app) }
        }
        let meant = copies.compactMap { app, copy in listing.copy(of: app, orElse: copy).map { (app, $0) } }
        var failure: (any Error)?
        for (app, copy) in meant {
            do { try forget(copy, of: app) } catch { failure = failure ?? error }
        }
        // Nobody finds it any more: what cannot be removed now goes at the next start.
        try device.removeDiscarded()
        if let failure { throw failure }
        return try meant.map { app, copy in try device.undoCopy(copy, of: app) }
    }

    private func forget(_ copy: KeptCopy, of app: InstalledApp) throws {
        // A restore of the app may be reading it.
        let change = try AppChange(of: AppReference(app), "changed", .afterPurge, mounts)
        defer { change.end() }
        try device.forget(copy, of: app)
        log.write("forgot what the last restore of \(app.bundleID) replaced")
    }
}

/// What a client was told last that is kept.
final class UndoListing: Sendable {
    /// Nil before it was told anything.
    private let copies = Lock<[BundleIdentifier: KeptCopy]?>(nil)

    func set(_ copies: [(InstalledApp, KeptCopy)]) {
        let copies = Dictionary(copies.map { ($0.bundleID, $1) }) { $1 }
        self.copies.withLock { $0 = copies }
    }

    /// - Returns: nil where it was told of others, and of none of that app.
    func copy(of app: InstalledApp, orElse present: KeptCopy) -> KeptCopy? {
        copies.withLock { $0.map { $0[app.bundleID] } ?? present }
    }
}

extension Device {
    /// Nil where nothing is kept.
    func undoCopy(of app: InstalledApp) throws(DeviceError) -> UndoCopy? {
        try keptCopy(of: app).map { kept throws(DeviceError) in try undoCopy(kept, of: app) }
    }

    fileprivate func undoCopy(_ kept: KeptCopy, of app: InstalledApp) throws(DeviceError) -> UndoCopy {
        UndoCopy(
            bundleID: app.bundleID.value, name: try apps().word(for: app.bundleID),
            time: kept.time == 0 ? nil : Timestamp(seconds: Double(kept.time)), bytes: kept.bytes)
    }
}
