/// The journal as a value.
struct MemoryJournal: Sendable {
}
