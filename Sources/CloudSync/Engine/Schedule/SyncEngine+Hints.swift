internal import CloudStore
internal import SyncContent
internal import SyncLog

extension SyncEngine {
    /// Asks what others did, when it is time to.
    func poll() async throws(SyncFailure) {
        for keyValues in keyValues.values where await keyValues.wantsDate { schedule.hasten() }
        guard var session, let poll = schedule.take(at: surroundings.clock.now()) else { return }
        if poll == .probe {
            return await probe()
        }
        let own = session.account.layout.hint(try ownDevice(session))
        let moment = surroundings.clock.now()
        let news: HintBoard.News
        do {
            news = try await session.hints.poll(except: own, logs: syncedLogs.count + 1)
        } catch {
            throw SyncFailure(error)
        }
        self.session?.hints = session.hints
        for keyValues in keyValues.values { await keyValues.hear(session.hints.date, askedAt: moment) }
        if news == .manyChanged {
            for synced in syncedLogs { await synced.expectNews() }
            self.session?.mayBeBehind = true
            return
        }
        for synced in syncedLogs { await synced.hear(session.hints.newest) }
        if try session.log.log.isBehind(session.hints.newest) { self.session?.mayBeBehind = true }
    }

    /// The next log in turn looks at its next slot: a hint may be missing.
    private func probe() async {
        guard let session else { return }
        let logs = syncedLogs
        let index = session.probed % (logs.count + 1)
        self.session?.probed = index + 1
        if index < logs.count {
            await logs[index].expectNews()
        } else {
            self.session?.mayBeBehind = true
        }
    }

    /// Tells others this device's newest slots, where they moved: one PUT for all logs. It may fail: it is a
    /// hint.
    func tell() async {
        guard let session, let device = try? ownDevice(session) else { return }
        // Before the account's log has it, it has no name.
        if let own = try? devices().first(where: { $0.device == device }) {
            for container in sortedContainers { await container.tellDevice(own) }
        }
        var hint = Hint()
        for synced in syncedLogs {
            if let slot = await synced.newestOwn { hint.newest[synced.log.name] = slot }
        }
        if let slot = try? session.log.log.newestOwn() { hint.newest[.account] = slot }
        guard hint != session.toldHint, !hint.newest.isEmpty else { return }
        guard (try? await surroundings.store.put(hint.bytes, at: session.account.layout.hint(device))) != nil
        else { return }
        self.session?.toldHint = hint
    }

    private func ownDevice(_ session: AccountSession) throws(SyncFailure) -> DeviceID {
        try session.log.log.place().journal.device
    }
}
