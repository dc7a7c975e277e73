package import SyncContent

extension SyncEngine {
    /// The account's format and store, opened where that was not done yet.
    /// - Throws: what keeps it from being opened.
    package func openAccount() async throws(SyncTrouble) -> Account {
        if session == nil { _ = await syncOnce("") }
        guard let session else { throw trouble ?? .storeAway("the account was not opened yet") }
        return session.account
    }
}
