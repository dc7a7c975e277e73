public import Posix

/// What a client asks of the cloud.
public enum CloudRequest: Codable, Equatable, Sendable {
    case account
    case setAccount(CloudAccountArguments)
    /// Races conditional writes against the account's store.
    case probe
    /// Copies every object to another, empty store.
    case copyAccount(CloudAccountArguments)
    case turn(app: String, isOn: Bool)
    case path(app: String)
    case status(app: String?)
    case sync(CloudSyncArguments)
    /// Rates in bytes a second, 0: no limit; nil: as they are.
    case pause(upRate: Int64?, downRate: Int64?)
    case resume(upRate: Int64?, downRate: Int64?)
    case devices
    case forget(device: String)
    case list(app: String, path: String)
    case remove(app: String, path: String)
    /// As `remove`; also what was deleted at that path is kept no longer than it must.
    case removeForEver(app: String, path: String)
    /// Of what is, or was last, at that path or below it; empty: of all.
    case log(app: String, path: String, limit: Int)
    /// Paths, or items as `log` names them; a version as `log` and `conflicts` name it.
    case restore(app: String, items: [String], version: String?)
    case conflicts(app: String)
    /// `keep`: `current`, `both`, or a version as `conflicts` names it.
    case resolve(app: String, path: String, keep: String)
    /// Descriptor: where the bytes go.
    case cat(app: String, path: String, version: String?)
    case check(repairs: Bool)
    /// `isDryRun`: nothing is removed, and nothing written.
    case collect(isDryRun: Bool)
    /// Deletes at once what this device sent for nothing.
    case takeBack
    case quota
    /// Before an unmount: brings a home's sync to rest, for at most so many seconds; nil: as long as it
    /// takes.
    case settle(directory: String, seconds: Double?)
}

public struct CloudAccountArguments: Codable, Equatable, Sendable, Confidential {
    public var url: String
    public var accessKeyID: String?
    public var secretAccessKey: String?
    public var sessionToken: String?
    /// A profile, and the credentials file where the daemon finds it.
    public var profile: String?
    public var credentialsFile: String?
    /// Variables of the person's environment that say how the store is reached.
    public var network: [String: String]
    /// Nil: the person is asked where there are any.
    public var documents: LeftDocuments?

    public init(
        url: String, accessKeyID: String? = nil, secretAccessKey: String? = nil, sessionToken: String? = nil,
        profile: String? = nil, credentialsFile: String? = nil, network: [String: String] = [:],
        documents: LeftDocuments? = nil
    ) {
        self.url = url
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
        self.sessionToken = sessionToken
        self.profile = profile
        self.credentialsFile = credentialsFile
        self.network = network
        self.documents = documents
    }
}

/// What becomes of a device's documents of an account that it leaves.
public enum LeftDocuments: String, Codable, CaseIterable, Sendable {
    /// They stay on the device, and are the next account's as well.
    case keep
    /// Those go of which the account has all.
    case remove
}

public struct CloudSyncArguments: Codable, Equatable, Sendable {
    public var app: String?
    public var confirmsDeletes: Bool
    /// Goes on while there is something left to do and it gets nearer.
    public var waits: Bool

    public init(app: String? = nil, confirmsDeletes: Bool = false, waits: Bool = false) {
        self.app = app
        self.confirmsDeletes = confirmsDeletes
        self.waits = waits
    }
}

/// What the daemon answers to them.
public enum CloudAnswer: Codable, Equatable, Sendable {
    case account(CloudAccountReport)
    case path(String?, reason: String?, token: String?)
    /// To `setAccount`.
    case accountChange(CloudAccountChange)
    case status(CloudStatusReport)
    case devices([CloudDevice])
    case items([CloudItem])
    case log([CloudLogEntry])
    case conflicts([CloudConflict])
    /// To `sync` and `remove`.
    case synced(CloudSyncReport)
    /// To `removeForEver`.
    case removed(CloudRemoval)
    case check(CloudCheckReport)
    /// To `collect` and `takeBack`.
    case collected(CloudCollection)
    case quota(CloudQuota)
    /// To `settle`: what is left.
    case left(CloudSyncReport)
}
