internal import Device
internal import Wire

/// An app while it becomes another one, or goes: by an install, an uninstall or a restore.
///
/// From the beginning of the change to `end` no program starts as the app and nobody purges it; once its
/// mounts are barred, none is made; in `withoutSync` nobody syncs it.
///
/// These are taken in one order, so that no two changes wait for each other: the mark at the running apps
/// first, which alone is waited for; then the bar at the mounts, which refuses; then sync. Who has no change
/// can neither bar nor hold sync back.
final class AppChange {
    /// What the change does with programs and purges that are there when it begins.
    enum Beginning {
        /// A purge is waited for; programs may run.
        case afterPurge
        /// A purge is refused: its end may wait for what the caller holds.
        case unlessPurged
        /// A purge is waited for, a program that runs refuses.
        case whenNotRunning

        fileprivate func refusal(_ app: AppReference, _ what: String) -> CommandFailure {
            self == .whenNotRunning
                ? CommandFailure(
                    "\(app.name) is running and cannot be \(what) now: end it first (apphome info "
                        + "\(shellQuoted(app.name)) names it)")
                : CommandFailure(
                    "\(app.name) is just being purged or changed by another command; try again when that has"
                        + " ended")
        }
    }

    private let mounts: MountService
    private let bundleID: String
    /// What is done to the app, for errors: "removed".
    private let what: String
    private var barred: AppReference?

    /// - Throws: where what is there refuses.
    init(of app: AppReference, _ what: String, _ beginning: Beginning, _ mounts: MountService) throws {
        let isMarked =
            switch beginning {
            case .afterPurge: mounts.running.beginChange(of: app.bundleID, waits: true)
            case .unlessPurged: mounts.running.beginChange(of: app.bundleID, waits: false)
            case .whenNotRunning: mounts.running.beginChangeIfNotRunning(app.bundleID)
            }
        guard isMarked else { throw beginning.refusal(app, what) }
        self.mounts = mounts
        bundleID = app.bundleID
        self.what = what
    }

    /// Refuses mounts of the app from now on. May be asked again, with another check.
    /// - Parameter check: gets the mounts that there are. Throws to refuse the change.
    func bar(_ app: AppReference, while check: ([ActiveMount]) throws(CommandFailure) -> Void) throws {
        try mounts.registry.bar(app, what, while: check)
        barred = app
    }

    /// Runs `body` while nobody syncs the app: what is removed meanwhile is told to no store.
    /// - Parameter body: gets nil where the device is signed out.
    func withoutSync<R>(of app: InstalledApp, _ body: (CloudSession?) throws -> R) throws -> R {
        try mounts.cloud.withoutSync(of: app, body)
    }

    /// To be called once, whatever became of the change.
    func end() {
        if let barred { mounts.registry.unbar(barred) }
        mounts.running.endChange(of: bundleID)
    }
}
