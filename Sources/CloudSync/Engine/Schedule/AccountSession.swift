internal import SyncContent

/// What the engine holds of an account that was opened.
struct AccountSession {
    let account: Account
    let log: AccountLog
    var hints: HintBoard
    let quota: AccountQuota
    /// Whether the account's log is known to name this device and its apps.
    var isAnnounced = false
    /// Whether the account's log may have more than this device read.
    var mayBeBehind = true
    /// What this device's own hint says; nil before it wrote one.
    var toldHint: Hint?
    /// Which log the next probe asks.
    var probed = 0

    /// - Parameter readUsage: wakes whoever reads what the account's apps take.
    init(
        account: Account, storage: any SyncStorage, surroundings: SyncSurroundings, readUsage: WakeSignal
    ) {
        self.account = account
        hints = HintBoard(account: account)
        quota = AccountQuota(
            account, storage: storage, clock: surroundings.clock, readAgain: readUsage)
        log = AccountLog(
            log: LogClient(
                name: .account, app: nil, account: account, storage: storage, surroundings: surroundings))
    }
}
