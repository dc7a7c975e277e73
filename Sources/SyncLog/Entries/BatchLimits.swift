/// What a device puts into one batch at most. Readers take much more (`LogLimits`); a small batch is
/// journaled, sent and applied in little memory, and lets what else there is to tell through after a moment.
package struct BatchLimits: Equatable, Sendable {
    package var operations: Int
    /// Of the operations in their encoding. One operation that is larger goes by itself.
    package var bytes: Int

    package init(operations: Int = 1_500, bytes: Int = 4 << 20) {
        self.operations = operations
        self.bytes = bytes
    }
}
