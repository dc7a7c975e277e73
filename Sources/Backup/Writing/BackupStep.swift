/// Where a run stands: for tests that end it there. Whatever the last one was, the old backup or the new one
/// is whole under its name, and the next run goes over what is left of this one.
public enum BackupStep: String, Sendable, CaseIterable {
    /// What an earlier run left is gone; the new folder is there, empty.
    case prepared
    /// One item's blob and row are written.
    case itemWritten
    /// What the old backup has of domains that were not backed up now is taken over.
    case othersKept
    case manifestWritten
    case propertyListsWritten
    /// All of the new backup is on the disk.
    case synchronized
    /// The new backup has the name; the old one waits to be removed.
    case exchanged
    case previousRemoved
}

/// What a run has done so far, and at its end.
public struct BackupReport: Sendable, Equatable {
    /// Files, directories and links in the backup.
    public internal(set) var items = 0
    public internal(set) var files = 0
    /// Of the content of all files.
    public internal(set) var bytes: Int64 = 0
    /// Files whose blob the old backup had.
    public internal(set) var unchangedFiles = 0
    /// The first thousand of what stayed out, or is not as it should be.
    public internal(set) var leftOut: [LeftOutItem] = []
    public internal(set) var leftOutCount = 0
    /// Items that their skip-backup flag kept out.
    public internal(set) var flagged = 0
    /// Domains of the backup before that left it (`BackupOptions.keeps`).
    public internal(set) var dropped = 0

    static let leftOutLimit = 1000

    public init() {}

    public mutating func leaveOut(_ item: LeftOutItem) {
        if item.reason == .flagged {
            flagged += 1
            return
        }
        leftOutCount += 1
        if leftOut.count < Self.leftOutLimit { leftOut.append(item) }
    }
}
