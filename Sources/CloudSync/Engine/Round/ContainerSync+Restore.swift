package import StoreBasics
package import SyncContent
internal import SyncLog

/// What came of bringing something back.
package struct RestorationOutcome: Equatable, Sendable {
    /// Items that came back, directories too.
    package var items = 0
    /// Paths of what was taken out of the cloud below a directory, and is not kept there.
    package var withdrawn: [String] = []
    /// Paths of what was kept long enough below a directory, and is not any more.
    package var past: [String] = []
    /// How many were deleted before a directory was, and stay so; when the last of them was.
    package var earlier = 0
    package var earlierAt = StoreTime(seconds: 0)
    /// So many became versions of what is there, which another device was first with, or has their name.
    package var versions = 0
    /// It is journaled, and the store went away before it said that it has it.
    package var waits: SyncTrouble?
}

extension ContainerSync {
    /// Brings back what items had, by the whole log as the store has it now.
    /// - Returns: or why not.
    func restore(
        _ targets: [RestorationTarget]
    ) async throws(SyncFailure) -> Result<RestorationOutcome, RefusedRestoration> {
        await turn.take()
        defer { turn.give() }
        try await catchUp()
        let now = try await log.nextTime()
        let found: Restoration
        switch try restoration(of: targets, at: now) {
        case .success(let restoration): found = restoration
        case .failure(let refusal): return .failure(refusal)
        }
        var outcome = RestorationOutcome(found)
        guard !found.items.isEmpty else { return .success(outcome) }
        guard try await quotaRoom(for: found.addedBytes) >= found.addedBytes else {
            throw .trouble(.overQuota)
        }
        let stored = try await rely(on: found.items.map(\.content))
        outcome.waits = try await tell(
            found.operations(stored.contents), unproven: found.items.map(\.file), stored.checks)
        if outcome.waits == nil {
            outcome.versions = try storage.reading { tree in
                try found.items.count { try !$0.isCurrent(in: tree) }
            }
        }
        return .success(outcome)
    }

    private func restoration(
        of targets: [RestorationTarget], at now: StoreTime
    ) throws(SyncFailure) -> Result<Restoration, RefusedRestoration> {
        // What is made together lies together in the databases of all devices.
        var file = FileID(bits: surroundings.randomness.identifier())
        return try storage.reading { tree in
            var restoration = Restoration(tree, now: now)
            for target in targets {
                do { try restoration.add(target, newFile: &file) } catch let refusal as RestorationRefusal {
                    return .failure(RefusedRestoration(target: target, refusal: refusal))
                }
            }
            return .success(restoration)
        }
    }
}

extension Restoration.Item {
    /// Whether it is what it was to become, and not a version beside it.
    fileprivate func isCurrent(in tree: any TreeStorage) throws -> Bool {
        guard let node = try tree.item(file), node.isLive else { return false }
        return node.current.map { $0.content.isSame(as: content) } ?? (content == .directory)
    }
}

extension RestorationOutcome {
    init(_ restoration: Restoration) {
        items = restoration.items.count
        (withdrawn, past) = (restoration.withdrawn, restoration.pastPaths)
        if let (count, last) = restoration.earlier { (earlier, earlierAt) = (count, last) }
    }
}
