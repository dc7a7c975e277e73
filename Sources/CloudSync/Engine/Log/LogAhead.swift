internal import Posix

/// What is known of a log past the tree's head. It spares requests, and is found out again after a kill.
final class LogAhead: Sendable {
    private struct State {
        var isFar = false
        var entry: (bytes: [UInt8], slot: DecodedSlot)?
    }

    private let state = Lock(State())

    /// More entries are there than are read at once.
    var isFar: Bool {
        get { state.withLock { $0.isFar } }
        set { state.withLock { $0.isFar = newValue } }
    }

    /// The entry, read, where it is the one that is applied in parts.
    func slot(of entry: SlotEntry) -> DecodedSlot? {
        state.withLock { state in
            state.entry.flatMap { $0.bytes == entry.bytes ? $0.slot : nil }
        }
    }

    func keep(_ slot: DecodedSlot, of entry: SlotEntry) {
        state.withLock { $0.entry = (entry.bytes, slot) }
    }

    func forgetEntry() { state.withLock { $0.entry = nil } }
}
