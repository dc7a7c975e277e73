internal import SyncContent

/// Snapshots are made beside the rounds, by any device: a newcomer reads the newest one and what came after.
extension SyncEngine {
    private static let pauseAfterFailure = 600 * second
    /// All devices find at one commit that a snapshot is due. Who comes later finds the first one's.
    private static let spread = 60 * second

    package var isSnapshotDue: Bool {
        get async {
            for synced in syncedLogs where await synced.upkeep.isSnapshotDue { return true }
            return false
        }
    }

    /// Makes those that are due.
    /// - Returns: whether none failed.
    @discardableResult
    package func makeDueSnapshots() async -> Bool {
        var isDone = true
        for synced in syncedLogs where await synced.upkeep.isSnapshotDue {
            do { try await synced.upkeep.makeSnapshot() } catch { isDone = false }
        }
        return isDone
    }

    /// Makes them when they are due, until cancelled.
    func keepSnapshots() async {
        var pause = surroundings.randomness.below(Self.spread)
        while !Task.isCancelled {
            await snapshotSignal.wait()
            let moment = surroundings.clock.now() &+ pause
            guard (try? await surroundings.clock.sleep(until: moment)) != nil else { return }
            let isDone = await makeDueSnapshots()
            pause = (isDone ? 0 : Self.pauseAfterFailure) + surroundings.randomness.below(Self.spread)
        }
    }
}
