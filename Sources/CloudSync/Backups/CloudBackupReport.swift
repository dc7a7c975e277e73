/// What a run did.
public struct CloudBackupReport: Equatable, Sendable {
    public var items = 0
    public var files = 0
    /// Of the contents of all files.
    public var bytes: UInt64 = 0
    /// Files that were not read, for the snapshot before has them as they are, and their bytes.
    public var unchangedFiles = 0
    public var unchangedBytes: UInt64 = 0
    /// What the store did not have.
    public var sentBytes: UInt64 = 0
}
