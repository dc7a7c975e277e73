internal import Posix
internal import SyncLog

/// What is known of a log beside its tree: what lies past the head, and what came last. It spares requests
/// and time, and is lost with the process.
final class LogAhead: Sendable {
    private struct State {
        var isFar = false
        var entry: (bytes: [UInt8], slot: DecodedSlot)?
        var news: [FileID] = []
    }

    private static let mostNews = 10_000
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

    /// Items that were changed by what was applied last; of very many the last ones.
    func addNews(_ files: some Collection<FileID>) {
        state.withLock { state in
            state.news += files
            state.news.removeFirst(max(0, state.news.count - Self.mostNews))
        }
    }

    /// The last of them, so many at most.
    func takeNews(_ limit: Int) -> [FileID] {
        state.withLock { state in
            let last = Array(state.news.suffix(limit))
            state.news.removeLast(last.count)
            return last
        }
    }
}
