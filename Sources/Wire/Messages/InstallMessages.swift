public struct InstallArguments: Codable, Equatable, Sendable {
    /// The bundle's directory name; nil for an archive.
    public var bundleName: String?
    public var hasEntitlements: Bool
    /// Whether an upgrade empties Library/Caches.
    public var dropsCaches: Bool
    /// Whether open mounts go over to the new app; otherwise they are in its way.
    public var remounts: Bool

    public init(
        bundleName: String? = nil, hasEntitlements: Bool = false, dropsCaches: Bool = false,
        remounts: Bool = false
    ) {
        self.bundleName = bundleName
        self.hasEntitlements = hasEntitlements
        self.dropsCaches = dropsCaches
        self.remounts = remounts
    }
}

public struct InstallReport: Codable, Equatable, Sendable {
    public var bundleID: String
    public var name: String
    public var version: String?
    /// Whether the app was there already.
    public var isUpgrade: Bool
    /// Of the app that was; nil where it had none, or was a placeholder.
    public var oldVersion: String?
    public var notes: [String]

    public init(
        bundleID: String, name: String, version: String? = nil, isUpgrade: Bool, oldVersion: String? = nil,
        notes: [String]
    ) {
        self.oldVersion = oldVersion
        self.bundleID = bundleID
        self.name = name
        self.version = version
        self.isUpgrade = isUpgrade
        self.notes = notes
    }
}

public struct NewArguments: Codable, Equatable, Sendable {
    public var name: String
    public var identifier: String?
    public var share: Bool
    public var files: Bool
    public var groups: [String]
    public var hasPropertyList: Bool
    public var hasContent: Bool
    /// Whether an app of the identifier is replaced, and keeps its data; open mounts show the new one.
    public var replaces: Bool

    public init(
        name: String, identifier: String? = nil, share: Bool = false, files: Bool = false,
        groups: [String] = [], hasPropertyList: Bool = false, hasContent: Bool = false, replaces: Bool = false
    ) {
        self.name = name
        self.identifier = identifier
        self.share = share
        self.files = files
        self.groups = groups
        self.hasPropertyList = hasPropertyList
        self.hasContent = hasContent
        self.replaces = replaces
    }
}

public struct UninstallArguments: Codable, Equatable, Sendable {
    public var app: String
    /// Whether its documents are deleted in the cloud too, and so on every device.
    public var deletesCloud: Bool
    /// False: only say what would be done.
    public var isConfirmed: Bool
    /// Whether nothing is to follow: what would go is measured, and nothing is synced for it.
    public var isDryRun: Bool

    public init(
        app: String, deletesCloud: Bool = false, isConfirmed: Bool = false, isDryRun: Bool = false
    ) {
        self.app = app
        self.deletesCloud = deletesCloud
        self.isConfirmed = isConfirmed
        self.isDryRun = isDryRun
    }
}

/// What taking an app off the device does, or did.
public struct UninstallReport: Codable, Equatable, Sendable {
    public var bundleID: String
    public var name: String
    /// Documents that are on this device alone.
    public var unsent: Int
    /// The paths of some of them.
    public var unsentNames: [String]
    /// The URL of the account's store; nil on a device that is signed out.
    public var store: String?
    /// Items that the store has; after a removal with those of the cloud, what is left there.
    public var cloudDocuments: Int
    /// Of a dry run: what would go from the device.
    public var parts: [NamedSize]
    public var notes: [String]

    public init(
        bundleID: String, name: String, unsent: Int = 0, unsentNames: [String] = [], store: String? = nil,
        cloudDocuments: Int = 0, parts: [NamedSize] = [], notes: [String] = []
    ) {
        self.bundleID = bundleID
        self.name = name
        self.unsent = unsent
        self.unsentNames = unsentNames
        self.store = store
        self.cloudDocuments = cloudDocuments
        self.parts = parts
        self.notes = notes
    }
}

/// Something that takes room, as a person knows it.
public struct NamedSize: Codable, Equatable, Sendable {
    public var name: String
    public var bytes: Int64

    public init(name: String, bytes: Int64) {
        self.name = name
        self.bytes = bytes
    }
}
