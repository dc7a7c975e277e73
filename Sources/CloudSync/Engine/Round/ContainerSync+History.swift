internal import CloudStore
package import StoreBasics
internal import SyncContent
internal import SyncLog

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
                if try tree.endsSoon(content), try !tree.isUsed(content) {
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

extension ContainerSync {
    /// Lets history end whose time is over: the log's time goes on by commits alone, and an app that rests
    /// makes none. So does what counts ages by that time (`AccountPresent`).
    func letHistoryEnd() async throws(SyncFailure) {
        // By this machine's clock, so that nothing is asked where nothing is due.
        let wall = StoreTime(seconds: surroundings.clock.wallTime() / 1_000_000_000)
        guard try isDue(at: wall, saying: wall) else { return }
        await turn.take()
        defer { turn.give() }
        try log.open()
        try await log.push()
        let date = await account.store.ownTime() ?? log.lastDate.value ?? wall
        guard try isDue(at: date, saying: try await log.nextTime()) else { return }
        try log.freeze([])
        try await log.push()
    }

    /// Whether a commit that says `time` would end something, or bring the account's time on where that is
    /// too old for a collector: by enough, since a clock that is wrong finds it too old for ever.
    /// - Parameter date: by the store's clock.
    private func isDue(at date: StoreTime, saying time: StoreTime) throws(SyncFailure) -> Bool {
        if try storage.reading({ try $0.hasDueHistory(at: time) }) { return true }
        guard account.store.traits.clockIsOurs, let newest = surroundings.time.newest else { return false }
        let grace = account.format.retention.graceSeconds
        return date.seconds - newest.seconds > grace && time.seconds - newest.seconds > grace / 2
    }
}

extension TreeStorage {
    /// Whether a commit at that time would end some history, or a content that was withdrawn.
    fileprivate func hasDueHistory(at time: StoreTime) throws -> Bool {
        let end = time.adding(seconds: -Retention.historySeconds)
        return try firstExpiry(.history, before: end) != nil || firstExpiry(.withdrawn, before: end) != nil
    }

    /// Whether it expires as soon as history may end at all.
    fileprivate func endsSoon(_ content: RetainedContent) throws -> Bool {
        try content.since <= Replay.sinceOfEnded(at: treeHead().time)
    }
}

extension TreeStorage {
    /// Whether something that is not deleted has bytes of it as well.
    fileprivate func isUsed(_ content: RetainedContent) throws -> Bool {
        try content.version.content.chunks.contains { try chunk($0.hash)?.liveCount ?? 0 > 0 }
    }
}

/// What came of ending a retention.
package struct EndedRetention: Equatable, Sendable {
    /// Contents that expire by `end`.
    package var contents = 0
    /// By the store's clock; from then on `cloud gc` takes the bytes.
    package var end = StoreTime(seconds: 0)
    /// Contents that stay longer: other history, or an item that is not deleted, has some of their bytes.
    package var kept = 0

    /// Nothing was there to end.
    package init() {}

    mutating func add(_ other: EndedRetention) {
        contents += other.contents
        end = max(end, other.end)
        kept += other.kept
    }
}
