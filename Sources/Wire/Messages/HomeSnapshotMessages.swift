/// Snapshots of an app's home and groups, which are kept on the device to be compared.
public enum HomeSnapshotRequest: Codable, Equatable, Sendable {
    case take(app: String, name: String)
    case list(app: String)
    case remove(app: String, name: String)
    /// Makes two ready to be compared; `to` nil: with what the app has now.
    case compare(app: String, from: String, to: String?)
}

/// What a snapshot has, as `apphome snapshot --json` prints it.
public struct HomeSnapshotTaken: Codable, Equatable, Sendable {
    /// Of the home and of the app's groups.
    public var items: Int
    public var files: Int
    /// What the files have together.
    public var bytes: Int64
    /// What could not be read, or not as of one moment.
    public var leftOut: [BackupOmission]

    public init(items: Int, files: Int, bytes: Int64, leftOut: [BackupOmission]) {
        self.items = items
        self.files = files
        self.bytes = bytes
        self.leftOut = leftOut
    }
}

/// A snapshot of an app, as `apphome snapshot --list --json` prints it.
public struct HomeSnapshotInfo: Codable, Equatable, Sendable {
    public var name: String
    /// When it was taken; nil where it cannot be read.
    public var time: Timestamp?
    /// What it takes on the disk.
    public var bytes: Int64
    /// Why it cannot be read; nil where it can.
    public var damage: String?

    public init(name: String, time: Timestamp?, bytes: Int64, damage: String?) {
        self.name = name
        self.time = time
        self.bytes = bytes
        self.damage = damage
    }
}
