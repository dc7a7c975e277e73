public import CloudStore

extension ContainerSync {
    /// Tells everybody that what these items had and have no more is not needed for its whole retention.
    func endHistory(of files: some Sequence<FileID>) async throws(SyncFailure) -> EndedRetention {
        try await commit { tree in
            let ended = try files.compactMap { file -> EndedHistory? in
                let lasting = try tree.history(of: tree.resolve(file)).filter { try !tree.endsSoon($0) }
                let contents = lasting.flatMap(\.version.revisions).sorted()
                return contents.isEmpty ? nil : EndedHistory(file: file, contents: contents)
            }
            return ended.isEmpty ? [] : [.endHistory(ended)]
        }
        return try storage.reading { tree in
            var ended = EndedRetention()
            for content in try files.flatMap({ try tree.history(of: tree.resolve($0)) }) {
                if try tree.endsSoon(content) {
                    ended.contents += 1
                    ended.end = max(ended.end, content.since.adding(seconds: Retention.historySeconds))
                } else {
                    ended.kept += 1
                }
            }
            return ended
        }
    }
}

extension TreeStorage {
    /// Whether it expires as soon as history may end at all.
    fileprivate func endsSoon(_ content: RetainedContent) throws -> Bool {
        try content.since <= Replay.sinceOfEnded(at: treeHead().time)
    }
}

/// What came of ending a retention.
public struct EndedRetention: Equatable, Sendable {
    /// Contents that expire by `end`.
    public var contents = 0
    /// By the store's clock; from then on `cloud gc` takes the bytes.
    public var end = StoreTime(seconds: 0)
    /// Contents that stay their time: other history refers to some of their bytes.
    public var kept = 0

    /// Nothing was there to end.
    public init() {}

    mutating func add(_ other: EndedRetention) {
        contents += other.contents
        end = max(end, other.end)
        kept += other.kept
    }
}
