internal import SyncContent

/// The collector runs by itself: any device may, at most one a day does, and none where nothing was done
/// since the last run that it knows of.
extension SyncEngine {
    private static let second: UInt64 = 1_000_000_000
    private static let hour = 3600 * second
    static let collectionPeriod = 24 * hour

    /// Waits for its time and collects, until cancelled.
    func lookAfterStore() async {
        // Not all devices of a household at once, nor one that only came for a moment.
        var next = surroundings.clock.now() &+ Self.hour &+ surroundings.randomness.below(Self.hour)
        while !Task.isCancelled {
            guard (try? await surroundings.clock.sleep(until: next)) != nil else { return }
            let isDone = await collectIfNeeded()
            let pause = isDone ? Self.collectionPeriod : Self.hour
            next = surroundings.clock.now() &+ pause &+ surroundings.randomness.below(Self.hour)
        }
    }

    /// - Returns: whether nothing is to be done for a day: false where the store is in trouble or away.
    func collectIfNeeded() async -> Bool {
        guard let session, trouble == nil, retryAt == nil else { return false }
        for container in sortedContainers where await container.retryAt != nil { return false }
        await letHistoryEnd()
        let slots = await knownSlots()
        if slots == collectedSlots { return true }
        let paced = PacedStore(
            surroundings.store, clock: surroundings.clock, firstPause: Self.firstPause(surroundings.settings))
        let account = Account(store: paced, format: session.account.format)
        do {
            _ = try await collect(in: account, isForced: false)
            collectedSlots = slots
            return true
        } catch {
            return false
        }
    }

    /// A folder has no bill and is on this machine; still nobody is to notice.
    private static func firstPause(_ settings: SyncSettings) -> UInt64 {
        settings.isStoreWatched ? second / 10 : 60 * second
    }

    /// How far each log is, as far as this device knows.
    private func knownSlots() async -> [LogName: UInt64] {
        var slots = session?.hints.newest ?? [:]
        for container in sortedContainers {
            let cursor = await container.cursor
            slots[container.log.name] = max(slots[container.log.name] ?? 0, cursor)
        }
        return slots
    }
}
