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
        if url == .none, choice == .keep { return try signOut() }
        let new = url == .none ? nil : try opened()
        let before = try cloud.url
        try noteIdentity(of: before)
        if choice == .remove, before != .none, try !isSame(new, CloudFolder(device)) { try send(meter) }
        // Decided while nothing syncs: what comes meanwhile is of the account before, too.
        return try cloud.changeAccount {
            var (own, left): ([SyncedDocuments], [SyncedDocuments]) = ([], [])
            for folder in try CloudFolder.all(device) {
                let documents = try SyncedDocuments(folder, of: device)
                if try isSame(new, folder) { own.append(documents) } else { left.append(documents) }
            }
            left.removeAll { $0.items == 0 }
            let same = try new.flatMap { try last($0, among: own) }
            let count = left.reduce(0) { $0 + $1.items }
            if count > 0, choice == nil { return CloudAccountChange(undecided: count) }
            for left in left { try refuseUnsettled(left, choice) }
            let lines = try left.flatMap { left in
                if choice == .remove { return try remove(left) }
                try left.forget()
                return []
            }
            let isKnown = try before != .none && same?.folder.name == CloudFolder(device).name
            return try change(to: try named(same, new), isKnown ? ", the same account as before" : "", lines)
        }
    }

    private func signOut() throws -> CloudAccountChange {
        try cloud.changeAccount { try change(to: .none, ": Documents stay on this device", []) }
    }

    private func change(
        to account: CloudAccount, _ comment: String, _ lines: [String]
    ) throws -> CloudAccountChange {
        try device.setCloudAccount(account)
        cloud.keyValues.accountHasChanged()
        let headline = url == .none ? "signed out" : "signed in: Documents sync to \(url)"
        return CloudAccountChange(lines: [headline + comment] + lines)
    }

    // MARK: Which account it is

    /// The account in the store; one that is not there is made.
    private func opened() throws -> Account {
        let store = try account.open(for: device)
        return try Blocking.wait { try await Account.open(store, randomness: SystemSyncRandomness()) }
    }

    /// An earlier version did not note which account it is.
    private func noteIdentity(of url: StoreURL) throws {
        guard url != .none, try CloudFolder(device).knownIdentity == nil else { return }
        _ = try? cloud.withSession { _ = try $0.reader() }
    }

    /// Whether a folder remembers that account; one that does not know is of the account at its URL.
    private func isSame(_ account: Account?, _ folder: CloudFolder) throws -> Bool {
        guard let account else { return false }
        guard let identity = folder.knownIdentity else { return folder.name == CloudFolder.name(for: url) }
        return identity == account.format.identity
    }

    /// - Parameter known: all that is remembered of the account, wherever it lay.
    /// - Returns: which of it was used last.
    /// - Throws: where the store has less of it than that.
    private func last(_ account: Account, among known: [SyncedDocuments]) throws -> SyncedDocuments? {
        let names = [try CloudFolder(device).name, CloudFolder.name(for: url)]
        let last = names.lazy.compactMap { name in known.first { $0.folder.name == name } }.first
        guard let same = known.first(where: { $0.items > 0 }) ?? last ?? known.first else { return nil }
        if same.folder.name != names[1] { try same.refuseOlderCopy(account, device) }
        return same
    }

    /// The account with where it is remembered: of another one at that URL nothing is lost.
    private func named(_ same: SyncedDocuments?, _ new: Account?) throws -> CloudAccount {
        guard let new else { return .none }
        var account = account
        account.folder = same?.folder.name
        if same == nil {
            account.folder = CloudFolder.name(for: url)
            if try CloudFolder(device, of: account).knownIdentity != nil {
                account.folder = CloudFolder.name(for: new.format.identity)
            }
        }
        return account
    }

    // MARK: Documents that are left

    /// Brings what the device has into its account, which it leaves.
    private func send(_ meter: WorkMeter) throws {
        let documents = try SyncedDocuments(CloudFolder(device), of: device)
        for app in documents.apps where try cloud.syncs(app) {
            let trouble = try cloud.withSession { session in
                try session.with(app) {
                    try session.syncOnce(app, waits: true, SyncMeter(app.bundleID.value, meter))
                }
            }
            if let trouble { throw trouble }
        }
    }

    /// - Throws: where something would be lost with what is remembered, or is not in its account.
    private func refuseUnsettled(_ left: SyncedDocuments, _ choice: LeftDocuments?) throws {
        let withoutCloud = try device.appsWithoutCloud()
        for app in left.apps {
            guard let storage = try? left.folder.reader(of: app) else {
                guard choice == .remove else { continue }
                throw CommandFailure(
                    "what is remembered of \(app.name)'s sync cannot be read: give --documents keep")
            }
            let (isAtRest, isSent) = try storage.read { transaction in
                (
                    try transaction.intentions().isEmpty && transaction.allDisplaced().isEmpty
                        && transaction.datalessCount() == 0,
                    try transaction.frozenBatch() == nil
                )
            }
            guard isAtRest else {
                throw CommandFailure(
                    "documents of \(app.name) are half in place; sync them first: apphome cloud sync")
            }
            guard choice == .remove, !withoutCloud.contains(app.bundleID.value) else { continue }
            let unsent = try views.unsent(of: app, storage, naming: 3)
            guard unsent.changes > 0 || !isSent else { continue }
            let names = unsent.paths.map { $0.names.joined(separator: "/") }.joined(separator: ", ")
            throw CommandFailure(
                "\(counted(max(1, unsent.changes), "change")) of \(app.name) are not in their account yet"
                    + (names.isEmpty ? "" : ": \(names)") + "; sync them there first: apphome cloud sync,"
                    + " or give --documents keep")
        }
    }

    /// - Returns: what to tell the person.
    private func remove(_ left: SyncedDocuments) throws -> [String] {
        try left.apps.map { app in
            // What was removed comes again where this ends half way, for nothing is remembered by then.
            let storage = try left.folder.reader(of: app)
            try left.folder.removeStorage(of: app)
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
