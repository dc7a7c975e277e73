internal import CloudStore
internal import CloudSync
internal import Device
internal import Posix
internal import StoreBasics
internal import SyncContent

/// Where the device remembers its sync: a folder for each account it was ever signed in to, and in it a
/// database for the account's own log and one for each app.
struct CloudFolder: Sendable {
    private let device: Device
    let name: String
    /// Below the device's folder.
    private let path: String

    /// Of the account that the device is signed in to, or of what it has while it is signed out.
    init(_ device: Device) throws { try self.init(device, of: try device.cloudAccount() ?? .none) }

    init(_ device: Device, of account: CloudAccount) throws {
        try self.init(device, name: account.folder ?? Self.name(for: account.storeURL))
    }

    private init(_ device: Device, name: String) throws {
        self.device = device
        self.name = name
        path = try device.makeCloudFolder(named: name)
    }

    /// Of an account at a URL, unless it is remembered elsewhere.
    static func name(for account: StoreURL) -> String { name(for: Array(account.description.utf8)) }

    /// Of an account at whose URL another one was remembered.
    static func name(for account: AccountIdentity) -> String { name(for: Array(account.hex.utf8)) }

    private static func name(for bytes: [UInt8]) -> String {
        Hex.text(Digests.sha256(bytes).prefix(nameBytes))
    }

    private static let nameBytes = 8

    /// Of all accounts that the device was ever signed in to.
    static func all(_ device: Device) throws -> [CloudFolder] {
        try device.cloudFolders().filter { Hex.bytes($0)?.count == nameBytes }
            .map { try CloudFolder(device, name: $0) }
    }

    func accountStorage() throws -> any SyncStorage { try storage(named: Self.account) }

    func storage(of app: InstalledApp) throws -> any SyncStorage {
        try storage(named: Device.syncDatabase(of: app.bundleID))
    }

    func hasStorage(of app: InstalledApp) throws -> Bool {
        try hasStorage(named: Device.syncDatabase(of: app.bundleID))
    }

    /// Forgets what was synced of an app. Who reads it may go on.
    func removeStorage(of app: InstalledApp) throws {
        try device.removeSyncDatabase(at: "\(path)/\(Device.syncDatabase(of: app.bundleID))")
    }

    /// Nil where the account was never asked anything, also by an earlier version.
    func identity() throws -> AccountIdentity? {
        guard try hasStorage(named: Self.account) else { return nil }
        return try accountStorage().read { try $0.accountIdentity() }
    }

    /// Nil also where that cannot be read.
    var knownIdentity: AccountIdentity? { (try? identity()) ?? nil }

    private static let account = "account.sqlite"

    /// The same for who only looks, however long a transaction of the engine's takes.
    /// - Throws: where the app never synced.
    func reader(of app: InstalledApp) throws -> any SyncStorage {
        let file = file(named: Device.syncDatabase(of: app.bundleID))
        let made: SQLiteStorage = try device.owner.acting { try SQLiteStorage(reading: file) }
        return made
    }

    func storage(ofKeyValues identifier: String) throws -> any SyncStorage {
        try storage(named: Self.keyValues(identifier))
    }

    /// Whether anything was ever set or heard there.
    func hasStorage(ofKeyValues identifier: String) throws -> Bool {
        try hasStorage(named: Self.keyValues(identifier))
    }

    /// Of a key-value store, by its own identifier, which may be longer than a file's name.
    private static func keyValues(_ identifier: String) -> String {
        "key-values-\(Hex.text(Digests.sha256(Array(identifier.utf8)).prefix(16))).sqlite"
    }

    private static func replica(of log: LogName) -> String? {
        if case .container(let name) = log { "replica-\(name.hex).sqlite" } else { nil }
    }

    private func hasStorage(named name: String) throws -> Bool {
        try device.hasSyncDatabase(at: "\(path)/\(name)")
    }

    private func storage(named name: String) throws -> any SyncStorage {
        let file = file(named: name)
        let owner = device.owner
        let made: SQLiteStorage = try owner.acting {
            try SQLiteStorage(path: file) { open in try owner.acting(open) }
        }
        return made
    }

    private func file(named name: String) -> String {
        "/proc/self/fd/\(device.directory)/\(path)/\(name)"
    }
}

/// Logs of apps that do not sync on this device lie beside those that do.
extension CloudFolder: ReplicaStorages {
    /// Of any log but a container's nothing is kept.
    func replica(of log: LogName) throws -> any SyncStorage {
        try Self.replica(of: log).map(storage(named:)) ?? ScratchReplicas().replica(of: log)
    }

    func removeReplica(of log: LogName) throws {
        if let name = Self.replica(of: log) { try device.removeSyncDatabase(at: "\(path)/\(name)") }
    }
}
