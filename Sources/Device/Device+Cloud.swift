public import Posix
internal import SandboxRules

/// The cloud store that a device is signed in to.
public struct CloudAccount: Equatable, Sendable {
    /// `file:///…`, `s3://…`, or `none`.
    public var url: String
    /// The keys of an S3 store, as they were where the account was set; nil where a profile names them.
    public var keys: CloudKeys?
    /// A profile of the owner's `~/.aws/credentials`, which is read at each start.
    public var profile: CloudProfile?
    /// How the store is reached (proxies, certificates): those variables of where the account was set.
    public var network: [String: String]
    /// The folder in which its sync is remembered, where it is not the one of its URL: an account that was
    /// copied goes on in the one that it has.
    public var folder: String?

    public init(
        url: String, keys: CloudKeys? = nil, profile: CloudProfile? = nil, network: [String: String] = [:],
        folder: String? = nil
    ) {
        self.url = url
        self.keys = keys
        self.profile = profile
        self.network = network
        self.folder = folder
    }

    /// Signed out: nothing syncs.
    public static let none = CloudAccount(url: "none")
}

/// The keys of an S3 store.
public struct CloudKeys: Codable, Equatable, Sendable, Confidential {
    public var accessKeyID: String
    public var secretAccessKey: String
    public var sessionToken: String?

    public init(accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil) {
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
        self.sessionToken = sessionToken
    }
}

public struct CloudProfile: Codable, Equatable, Sendable {
    public var name: String
    /// The credentials file, absolute: the daemon knows no HOME of its own.
    public var file: String

    public init(name: String, file: String) {
        self.name = name
        self.file = file
    }
}

extension Device {
    /// Makes the folder where one account's sync is remembered.
    /// - Returns: its path below the device's folder.
    public func makeCloudFolder(named name: String) throws(DeviceError) -> String {
        try performing("make the folder of sync") {
            let path = Layout.cloud + "/" + name
            _ = try FileTree.ensureDirectory(folder.raw, path)
            return path
        }
    }

    /// The names of all folders in which an account's sync is remembered.
    public func cloudFolders() throws(DeviceError) -> [String] {
        try performing("list the folders of sync") {
            guard try FileTree.exists(folder.raw, Layout.cloud) else { return [] }
            let directory = try FileTree.openDirectory(folder.raw, Layout.cloud)
            return try DirectoryEntries.names(in: directory.raw).map(\.nameText).sorted()
        }
    }

    /// Whether a database of sync is there.
    /// - Parameter path: below the device's folder.
    public func hasSyncDatabase(at path: String) throws(DeviceError) -> Bool {
        try performing("look for a database of sync") { try FileTree.exists(folder.raw, path) }
    }

    /// Removes a database of sync, closed by now; one that is not there is no error.
    /// - Parameter path: below the device's folder.
    public func removeSyncDatabase(at path: String) throws(DeviceError) {
        try performing("remove a database of sync") {
            try FolderMove.removeDatabase(path, in: folder.raw)
        }
    }

    /// The account that the device is signed in to; nil on a device that has not been told any.
    public func cloudAccount() throws(DeviceError) -> CloudAccount? {
        try performing("read the device's account") { try catalogue.cloudAccount() }
    }

    /// Signs the device in to an account, for good when this returns. The catalogue, mode 0600, keeps its
    /// keys.
    public func setCloudAccount(_ account: CloudAccount) throws(DeviceError) {
        try performing("change the device's account") { try catalogue.setCloudAccount(account) }
    }

    /// Identifiers of the apps that the person has taken out of the cloud.
    public func appsWithoutCloud() throws(DeviceError) -> Set<String> {
        try performing("read which apps sync") { try catalogue.appsWithoutCloud() }
    }

    /// The person's switch of one app; for good when this returns.
    public func setCloud(of app: InstalledApp, isOn: Bool) throws(DeviceError) {
        try performing("change whether \(app.name) syncs") {
            try catalogue.setCloud(of: app.bundleID.value, isOn: isOn)
        }
    }
}
