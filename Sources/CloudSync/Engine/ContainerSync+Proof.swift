internal import CloudStore

extension ContainerSync {
    func prove(_ checks: PresenceChecks? = nil) async throws(SyncFailure) {}
}
