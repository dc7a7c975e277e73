/// What a device puts into one batch at most. Readers take much more (`LogLimits`); a small batch is
/// journaled, sent and applied in little memory, and lets what else there is to tell through after a moment.
package struct BatchLimits: Equatable, Sendable {
    package var operations: Int
    /// Of the operations in their encoding, but for the chunks of the last file.
    package var bytes: Int
    /// What one operation may take: with a whole batch beside it that is no more than readers take.
    package var largestOperationBytes: Int
    /// Operations that take more go up before the entry, as an object of their own: at most what an entry of
    /// the log has room for.
    package var entryBytes: Int

    package init(
        operations: Int = 1_500, bytes: Int = 4 << 20,
        largestOperationBytes: Int = LogLimits.operationsBytes - (5 << 20),
        entryBytes: Int = LogLimits.entryBytes - LogEntry.headBytes
    ) {
        self.entryBytes = entryBytes
        self.operations = operations
        self.bytes = bytes
        self.largestOperationBytes = largestOperationBytes
    }
}
