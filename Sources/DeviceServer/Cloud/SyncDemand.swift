internal import Device
internal import SandboxRules

/// Which apps the mounts keep in step: an app while its home is mounted, and while a view of the whole device
/// shows its documents.
struct SyncDemand {
    /// Of mounted homes, by bundle identifier: false with `--no-sync`, which counts for the views too.
    private var homes: [String: Bool] = [:]
    /// Of views of the device, by the mount's number: which apps each shows.
    private var views: [Int: @Sendable (InstalledApp) -> Bool] = [:]

    /// Whether an app's sync is to run. Never for a placeholder: no app is there whose documents they are.
    func wants(_ app: InstalledApp) -> Bool {
        if app.isPlaceholder { return false }
        return homes[app.bundleID.value] ?? views.values.contains { $0(app) }
    }

    /// Whether its home is mounted with `--no-sync`.
    func isRefused(for app: InstalledApp) -> Bool { homes[app.bundleID.value] == false }

    /// Whether an app's sync ends with that view.
    func endsWithView(_ mount: Int, _ app: InstalledApp) -> Bool {
        var others = self
        others.views[mount] = nil
        return wants(app) && !others.wants(app)
    }

    mutating func addHome(of app: InstalledApp, syncs: Bool) { homes[app.bundleID.value] = syncs }
    mutating func removeHome(of app: InstalledApp) { homes[app.bundleID.value] = nil }

    mutating func addView(_ mount: Int, showing shows: @escaping @Sendable (InstalledApp) -> Bool) {
        views[mount] = shows
    }
    mutating func removeView(_ mount: Int) { views[mount] = nil }
}
