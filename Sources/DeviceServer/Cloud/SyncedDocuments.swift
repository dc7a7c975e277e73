internal import CloudStore
internal import CloudSync
internal import Device
internal import Posix
internal import SandboxRules
internal import SyncContent
internal import SyncLog
internal import Wire

/// What a device remembers of documents that it synced with one account.
struct SyncedDocuments {
    let folder: CloudFolder
    /// Those that have some.
    let apps: [InstalledApp]
    /// Files, symlinks and directories.
    let items: Int

    init(_ folder: CloudFolder, of device: Device) throws {
        self.folder = folder
        var (apps, items): ([InstalledApp], Int) = ([], 0)
        for app in try device.apps() where try folder.hasStorage(of: app) {
            // What cannot be read keeps nobody from leaving the account.
            let count = (try? folder.reader(of: app).read { try $0.syncedCount() }) ?? 1
            if count > 0 { apps.append(app) }
            items += count
        }
        (self.apps, self.items) = (apps, items)
    }

    func forget() throws { for app in apps { try folder.removeStorage(of: app) } }

    /// - Throws: where the store lacks what this device has read, as a copy that was made earlier does.
    func refuseOlderCopy(_ account: Account, _ device: Device) throws {
        var logs = [(LogName.account, "the account", try folder.accountStorage())]
        for app in try device.apps() {
            if try folder.hasStorage(of: app) {
                let log = LogName.container(account.layout.container(app.bundleID))
                logs.append((log, app.name, try folder.reader(of: app)))
            }
            let identifier = KeyValueStores.identifier(of: app)
            guard try folder.hasStorage(ofKeyValues: identifier) else { continue }
            let keys = LogName.keyValues(account.layout.keyValueStore(identifier))
            logs.append((keys, "\(app.name)'s keys", try folder.storage(ofKeyValues: identifier)))
        }
        for (log, what, storage) in logs {
            let head = try storage.read { try $0.treeHead() }
            guard try Blocking.wait({ try await account.hasSeen(head, of: log) }) else {
                throw CommandFailure(
                    "that store has the same account, and not all that this device has read of \(what):"
                        + " copy the account again: apphome cloud account copy URL")
            }
        }
    }
}
