internal import SyncContent
internal import SyncLog

extension LogClient {
    /// What the account's own log tells comes into the account's storage with the entry that tells it.
    func applyAccount(_ operations: [Operation], _ transaction: any SyncTransaction) throws {
        guard name == .account else { return }
        for operation in operations {
            guard case .account(let operation) = operation else { continue }
            switch operation {
            case .app(let app): try transaction.setAccountApp(app)
            case .device(let device): try transaction.setAccountDevice(device)
            case .forget(let device): try transaction.removeAccountDevice(device)
            }
        }
    }
}
