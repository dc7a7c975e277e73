internal import CloudStore
internal import CloudSync
internal import Device
internal import Posix
internal import SandboxRules
internal import SyncContent
internal import SyncLog
internal import Wire

/// Signs a device in to another account, or out.
///
/// What was synced with an account is a tree of that account alone: the next one never takes it for its own.
/// The documents stay as documents of this device, which a new account has not seen yet, or go once their
/// account has all of them. What is remembered of their sync goes in both cases: whoever comes back meets the
/// account as a new device does, and nothing that was removed or kept meanwhile counts as deleted there.
///
/// A copy of the account is the same one, wherever it lies. Who signs out and in again goes on as well.
struct AccountChange {
    private let account: CloudAccount
    private let url: StoreURL
    private let device: Device
    private let views: Views
    private let cloud: CloudService

    init(to account: CloudAccount, device: Device, views: Views, cloud: CloudService) throws {
        self.account = account
        self.device = device
        self.views = views
        self.cloud = cloud
        url = try account.storeURL
    }

    /// - Parameter choice: what becomes of documents of another account.
    /// - Returns: what to tell the person, or that the choice is needed.
    func perform(_ choice: LeftDocuments?, _ meter: WorkMeter) throws -> CloudAccountChange {
        let new = url == .none ? nil : try opened()
        let known = try remembered()
        let same = try new.flatMap { try theSame($0, in: known) }
        let left = known.filter { $0.items > 0 && $0.folder.name != same?.folder.name }
        let count = left.reduce(0) { $0 + $1.items }
        if count > 0, choice == nil { return CloudAccountChange(undecided: count) }
        let before = try cloud.url
        var lines: [String] = []
        if choice == .remove { try send(left, of: before, meter) }
        try cloud.setAccount(account) {
            if choice == .remove {
                lines += try remove(left)
            } else if url != .none {
                for left in left { try left.forget() }
            }
            if let new { try take(same, new.format.identity) }
        }
        if url == .none {
            let stay = choice == .remove ? "" : ": Documents stay on this device"
            return CloudAccountChange(lines: ["signed out" + stay] + lines)
        }
        let isSame = same != nil && before != .none
        let headline = "signed in: Documents sync to \(url)" + (isSame ? ", the same account as before" : "")
        return CloudAccountChange(lines: [headline] + lines)
    }

    /// The account in the store; one that is not there is made.
    private func opened() throws -> Account {
        let store = try account.open(for: device)
        return try Blocking.wait { try await Account.open(store, randomness: SystemSyncRandomness()) }
    }

    /// What the device remembers of accounts that it is or was signed in to.
    private func remembered() throws -> [SyncedDocuments] {
        let url = try cloud.url
        // An earlier version did not note which account it is.
        if url != .none, try CloudFolder(device, account: url).identity() == nil {
            _ = try? cloud.withSession { _ = try $0.reader() }
        }
        return try CloudFolder.all(device).map { try SyncedDocuments($0, of: device) }
    }

    /// - Returns: what is remembered of the account, wherever it lay.
    /// - Throws: where the store has less of it than that.
    private func theSame(_ account: Account, in known: [SyncedDocuments]) throws -> SyncedDocuments? {
        let known = try known.filter { try $0.folder.identity() == account.format.identity }
        let names = [CloudFolder.name(for: try cloud.url), CloudFolder.name(for: url)]
        let last = names.lazy.compactMap { name in known.first { $0.folder.name == name } }.first
        let same = known.first { $0.items > 0 } ?? last
        if let same, same.folder.name != names[1] { try same.refuseOlderCopy(account) }
        return same
    }

    /// Where the account was known by another URL, or as another one by this.
    private func take(_ same: SyncedDocuments?, _ identity: AccountIdentity) throws {
        let name = CloudFolder.name(for: url)
        if let same {
            if same.folder.name != name { try device.renameCloudFolder(same.folder.name, to: name) }
        } else if let before = try CloudFolder(device, account: url).identity(), before != identity {
            try device.removeCloudFolder(name)
        }
    }

    // MARK: Documents that go

    /// Brings what is to be removed into its account.
    /// - Throws: where some of it is not there afterwards.
    private func send(_ left: [SyncedDocuments], of url: StoreURL, _ meter: WorkMeter) throws {
        let name = CloudFolder.name(for: url)
        for documents in left {
            for app in documents.apps where try !device.appsWithoutCloud().contains(app.bundleID.value) {
                if documents.folder.name == name {
                    let trouble = try cloud.withSession { session in
                        try session.with(app) {
                            try session.syncOnce(app, waits: true, SyncMeter(app.bundleID.value, meter))
                        }
                    }
                    if let trouble { throw trouble }
                }
                let unsent = try views.unsent(of: app, documents.folder.reader(of: app), naming: 3)
                guard unsent.changes > 0 else { continue }
                let names = unsent.paths.map { $0.names.joined(separator: "/") }.joined(separator: ", ")
                throw CommandFailure(
                    "\(counted(unsent.changes, "change")) of \(app.name) are not in their account yet"
                        + (names.isEmpty ? "" : ": \(names)") + "; sync them there first: apphome cloud sync"
                        + ", or give --documents keep")
            }
        }
    }

    private func remove(_ left: [SyncedDocuments]) throws -> [String] {
        try left.flatMap { documents in
            try documents.apps.map { app in
                // What was removed comes again where this ends half way, for nothing is remembered by then.
                let storage = try documents.folder.reader(of: app)
                try documents.folder.removeStorage(of: app)
                let tree = try views.take(app)
                defer { views.giveBack(app) }
                let disk = try HomeDisk(tree: tree, databases: views.databaseAccess(of: app, tree))
                defer { disk.end() }
                let removal = try disk.removeSynced(storage, SystemSyncRandomness())
                let stayed = removal.left > 0 ? ", \(removal.left) stay" : ""
                return "\(app.name): \(counted(removal.removed, "item")) removed from this device\(stayed)"
            }
        }
    }
}

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
            let count = try folder.storage(of: app).read { try $0.syncedCount() }
            if count > 0 { apps.append(app) }
            items += count
        }
        (self.apps, self.items) = (apps, items)
    }

    /// - Throws: where what came from the store is half in place; then nothing was forgotten.
    func forget() throws {
        for app in apps {
            let isAtRest = try folder.reader(of: app).read {
                try $0.intentions().isEmpty && $0.allDisplaced().isEmpty && $0.datalessCount() == 0
            }
            guard isAtRest else {
                throw CommandFailure(
                    "documents of \(app.name) are half in place; sync them first: apphome cloud sync")
            }
        }
        for app in apps { try folder.removeStorage(of: app) }
    }

    /// - Throws: where the store lacks what this device has read, as a copy that was made earlier does.
    func refuseOlderCopy(_ account: Account) throws {
        var logs = [(LogName.account, "the account", try folder.accountStorage())]
        for app in apps {
            let log = LogName.container(account.layout.container(app.bundleID))
            logs.append((log, app.name, try folder.storage(of: app)))
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
