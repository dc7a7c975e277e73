internal import Posix
internal import SyncLog

/// What is known of a log beside its tree: what lies past the head, and what came last. It spares requests
/// and time, and is lost with the process.
final class LogAhead: Sendable {
    private struct State {
        var isFar = false
        var entry: (bytes: [UInt8], slot: DecodedSlot)?
        var news: [News] = []
        var newest: UInt64 = 0
    }

    /// Some items of an entry.
    private struct News {
        let files: [FileID]
        /// How many such parts of the entry come before it.
        let index: Int
        /// Counts entries.
        let age: UInt64
    }

    /// Parts of entries.
    private static let mostNews = 256
    /// So many files the first part of an entry has at most.
    private static let firstNews = 64
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

    /// Items that an entry changed, in its order: what its sender found urgent comes first.
    /// - Parameter limit: so many are taken at once.
    func addNews(_ files: [FileID], limit: Int) {
        state.withLock { state in
            state.newest += 1
            var rest = files[...]
            var index = 0
            while !rest.isEmpty, state.news.count < Self.mostNews {
                let part = rest.prefix(index == 0 ? min(limit, Self.firstNews) : limit)
                state.news.append(News(files: Array(part), index: index, age: state.newest))
                rest = rest.dropFirst(part.count)
                index += 1
            }
        }
    }

    var hasNews: Bool { state.withLock { !$0.news.isEmpty } }

    /// Of what was added and not taken yet: the beginning of each entry before the rest of any, and of those
    /// the newest. A few files that came among very many others do not wait for those.
    func takeNews() -> [FileID] {
        state.withLock { state in
            let next = state.news.indices.min { left, right in
                let (left, right) = (state.news[left], state.news[right])
                return left.index == right.index ? left.age > right.age : left.index < right.index
            }
            return next.map { state.news.remove(at: $0).files } ?? []
        }
    }
}
