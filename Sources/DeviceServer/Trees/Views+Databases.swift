internal import CloudSync
internal import Databases
internal import Device
internal import HomeTree
internal import Posix
internal import SandboxRules
internal import Wire

/// Where other processes find an app's databases.
extension Views {
    /// To be called before a view is served, and (nil) when it is no more; homes, and groups where apps find
    /// them, have the locks of databases.
    func noteHome(of subject: TreeSubject, _ kind: MountKind, at directory: String?) {
        guard kind == .home || kind == .group else { return }
        homeDirectories.withLock { $0[subject.key] = directory }
        // A helper that began before works on the backing directory, where the apps' locks are not.
        if directory != nil, let path = shownTree(key: subject.key)?.backingPath {
            databases.interrupt(below: path)
        }
    }

    /// Where the app's home or the group is mounted for apps; nil where it is not.
    /// - Parameter key: the subject's (`TreeSubject`).
    func homeDirectory(of key: String) -> String? { homeDirectories.withLock { $0[key] } }

    /// A helper that has a database open would keep a mount busy.
    func makeWayForUnmount() { databases.interrupt() }

    /// Documents as seen through the home's mount, where the app's locks are; by the backing directory only
    /// where no home is mounted.
    func documentsPath(of bundleID: String, _ tree: HomeTree) -> String? {
        let home = homeDirectories.withLock { $0[bundleID] } ?? tree.backingPath
        return home.map { $0 + "/Documents" }
    }

    /// What reads the databases that an app has open.
    func databaseAccess(of app: InstalledApp, _ tree: HomeTree) -> HelperDatabases {
        let identifier = app.bundleID.value
        return HelperDatabases(helper: databases) { [self] in documentsPath(of: identifier, tree) }
    }
}
