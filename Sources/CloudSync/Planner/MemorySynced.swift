/// The synced tree as a value.
struct MemorySynced: Sendable {
}
