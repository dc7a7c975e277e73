internal import SyncContent
internal import SyncLog

extension ContainerSync {
    /// So long dropped versions wait for what was written beside them, at most: a file that is written all
    /// the time keeps them no longer.
    private static let longestWait: UInt64 = 60_000_000_000

    /// Tells of the versions that a person removed beside their documents. The current contents stay,
    /// whatever they are by now.
    ///
    /// Not before what was written until then: who keeps a version copies it and removes it then, and what
    /// others read is to have it in one of the two places. Who has no room left makes some so. What waits for
    /// an update of the program waits at rest.
    func tellDropped() async throws(SyncFailure) {
        guard try canWrite, try storage.reading({ try !$0.droppedVersions().isEmpty }) else {
            dropsAt = nil
            return
        }
        let now = surroundings.clock.now()
        let end = dropsAt ?? now &+ Self.longestWait
        dropsAt = end
        if isMoreToSend, !isQuotaInTheWay, storeFull == nil, now < end { return }
        let told = try storage.writing { try $0.settleDropped() }
        if !told.isEmpty {
            try log.freeze(told)
            try await log.push()
            _ = try storage.writing { try $0.settleDropped() }
        }
        dropsAt = nil
    }

    private var isMoreToSend: Bool {
        !touched.isEmpty || hasNews || isPlanLeft || sendNotBefore != nil || changesLeft > 0
            || disk.hasChanges
    }
}
