internal import Posix
internal import SyncLog

/// What is known of a log beside its tree: what lies past the head, and what came last. It spares requests
/// and time, and is lost with the process.
final class LogAhead: Sendable {
    private struct State {
        var isFar = false
        var entry: (bytes: [UInt8], slot: DecodedSlot)?
        /// In the order in which they are taken.
        var news: [News] = []
        var newest: UInt64 = 0
    }

    /// Some items of an entry.
    private struct News {
        let files: [FileID]
        /// How many such parts of the entry come before it.
        let index: Int
        /// Counts entries.
        let entry: UInt64

        static func isFirst(_ left: News, _ right: News) -> Bool {
            left.index == right.index ? left.entry > right.entry : left.index < right.index
        }
    }

    /// Parts of entries.
    private static let mostNews = 256
    /// So many files the first part of an entry has at most: what a person does at a time, and few enough
    /// that those of all entries are taken that come in a round, also where each is of very many.
    private static let firstNews = 8
    private static let laterNews = 64
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
            while !rest.isEmpty {
                let part = rest.prefix(min(limit, index == 0 ? Self.firstNews : Self.laterNews))
                state.news.append(News(files: Array(part), index: index, entry: state.newest))
                rest = rest.dropFirst(part.count)
                index += 1
            }
            state.news.sort(by: News.isFirst)
            state.news.removeLast(max(0, state.news.count - Self.mostNews))
        }
    }

    var hasNews: Bool { state.withLock { !$0.news.isEmpty } }

    /// Of what was added and not taken yet: the beginning of each entry before the rest of any, and of those
    /// the newest. A few files that came among very many others do not wait for those.
    /// - Parameter limit: so many, or those of one part. One part at a time would leave the first ones behind
    ///   where entries come as fast as they are taken.
    func takeNews(limit: Int) -> [FileID] {
        state.withLock { state in
            var files: [FileID] = []
            var parts = 0
            for part in state.news {
                guard parts == 0 || files.count + part.files.count <= limit else { break }
                files += part.files
                parts += 1
            }
            state.news.removeFirst(parts)
            return files
        }
    }
}
