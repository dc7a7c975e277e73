internal import CloudSync
internal import SyncContent
internal import Wire

extension CommandFailure {
    static let signedOut = CommandFailure(
        "this device is signed out; sign in with: apphome cloud account set URL")

    /// Any error as the answer to a client: troubles of sync have a sentence of their own, which says what to
    /// do. Work that leaves something when it is interrupted says what.
    init(answering error: any Error) {
        if error is CancellationError {
            self.init("interrupted: nothing has changed")
            return
        }
        self.init(describing: error is CommandFailure ? error : SyncTrouble(error) ?? error)
    }
}
