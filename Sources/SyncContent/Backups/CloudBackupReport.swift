/// What a run did.
package struct CloudBackupReport: Equatable, Sendable {
    package var items = 0
    package var files = 0
    /// Of the contents of all files.
    package var bytes: UInt64 = 0
    /// Files that were not read, for the snapshot before has them as they are, and their bytes.
    package var unchangedFiles = 0
    package var unchangedBytes: UInt64 = 0
    /// What the store did not have.
    package var sentBytes: UInt64 = 0
}
