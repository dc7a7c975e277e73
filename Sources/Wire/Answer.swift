public import PropertyLists

/// What the daemon answers: any number of `progress` and `event`, then one of the others.
public enum Answer: Codable, Equatable, Sendable {
    case failure(CommandFailure)
    case progress(Progress)
    /// To `watch`, before all others. `knownSince`: where the client asked for more, from when on the daemon
    /// knows what happened.
    case watching(knownSince: Timestamp?)
    case event(WatchedEvent)
    /// So many events are left out here: this client has not read as fast as they came.
    case dropped(count: UInt64)
    /// To `events`; `isCut`: the daemon does not know all of them any more.
    case events([WatchedEvent], isCut: Bool)
    case findings(RememberedFindings)
    /// To `clearFindings`: how many there were.
    case cleared(count: Int)
    case done
    case note(lines: [String])
    case apps([AppSummary])
    case info(AppInfo)
    case installed(InstallReport)
    case uninstalled(UninstallReport)
    case mountGranted(MountGrant)
    case mounted(MountReport)
    case groupPlace(ContainerPlace)
    /// To `unmount`; `removesDirectory`: the mount point was made for the mount.
    case unmounting(removesDirectory: Bool)
    case settings([Setting])
    case items([SharedItem])
    /// To `preferences`, and to `keyValues` for reading.
    case preference(PreferenceValue)
    case keyValueChange(KeyValueChangeReport)
    case purged([PurgeReport])
    case doctorFacts(DoctorFacts)
    case run(RunGrant)
    /// To `endRun`: what was mounted for programs that nothing uses any more.
    case runEnded(unmounts: [MountKind])
    case cloud(CloudAnswer)
    case backup(BackupAnswer)
}
