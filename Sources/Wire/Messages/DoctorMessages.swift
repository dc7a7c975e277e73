/// What `doctor` cannot see through a mount.
public struct DoctorFacts: Codable, Equatable, Sendable {
    /// Every container that this device has, or had.
    public var containers: [NamedContainer]
    public var sharing: SharingFacts
    /// Whether the app's Documents sync here.
    public var syncs: Bool
    /// Whether the entitlements name a ubiquity container.
    public var hasUbiquity: Bool
    /// Nil where the app's key-value store was never used here.
    public var keyValues: KeyValueFacts?
    /// How the bundle differs from what was installed: the first thousand.
    public var sealDifferences: [SealReport]
    /// Why the seal could not be compared; nil where it was.
    public var sealDamage: String?

    public init(
        containers: [NamedContainer], sharing: SharingFacts, syncs: Bool, hasUbiquity: Bool,
        keyValues: KeyValueFacts? = nil, sealDifferences: [SealReport], sealDamage: String? = nil
    ) {
        self.containers = containers
        self.sharing = sharing
        self.syncs = syncs
        self.hasUbiquity = hasUbiquity
        self.keyValues = keyValues
        self.sealDifferences = sealDifferences
        self.sealDamage = sealDamage
    }
}

/// How much an app's key-value store holds.
public struct KeyValueFacts: Codable, Equatable, Sendable {
    public var keys: Int
    public var bytes: Int
    /// What it may hold.
    public var mostKeys: Int
    public var mostBytes: Int
    /// Whether the entitlements name the store.
    public var isEntitled: Bool

    public init(keys: Int, bytes: Int, mostKeys: Int, mostBytes: Int, isEntitled: Bool) {
        self.keys = keys
        self.bytes = bytes
        self.mostKeys = mostKeys
        self.mostBytes = mostBytes
        self.isEntitled = isEntitled
    }
}

/// A container's UUID, and whose it is or was.
public struct NamedContainer: Codable, Equatable, Sendable {
    public var uuid: String
    /// `data`, `bundle` or `group`.
    public var kind: String
    /// The app's or the group's identifier.
    public var identifier: String
    public var isCurrent: Bool

    public init(uuid: String, kind: String, identifier: String, isCurrent: Bool) {
        self.uuid = uuid
        self.kind = kind
        self.identifier = identifier
        self.isCurrent = isCurrent
    }
}

/// The keys of Info.plist that show Documents to the outside.
public struct SharingFacts: Codable, Equatable, Sendable {
    public var itunes: Bool
    public var opensInPlace: Bool
    public var documentBrowser: Bool

    public init(itunes: Bool, opensInPlace: Bool, documentBrowser: Bool) {
        self.itunes = itunes
        self.opensInPlace = opensInPlace
        self.documentBrowser = documentBrowser
    }
}

/// A file of the bundle that is not as it was installed.
public struct SealReport: Codable, Equatable, Sendable {
    /// Relative to the bundle.
    public var path: String
    /// `changed`, `missing` or `added`.
    public var change: String

    public init(path: String, change: String) {
        self.path = path
        self.change = change
    }
}
