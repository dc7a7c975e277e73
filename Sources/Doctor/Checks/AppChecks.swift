public import SandboxRules

/// What a device's catalogue and a bundle say of an app.
public struct ExaminedApp: Sendable {
    public struct SealDifference: Sendable {
        let path: String
        let change: String

        public init(path: String, change: String) {
            self.path = path
            self.change = change
        }
    }

    /// How much its key-value store holds.
    public struct KeyValues: Sendable {
        public var usage: KeyValueLimits.Usage
        /// What it may hold.
        public var limits: KeyValueLimits.Usage
        public var isEntitled: Bool

        public init(usage: KeyValueLimits.Usage, limits: KeyValueLimits.Usage, isEntitled: Bool) {
            self.usage = usage
            self.limits = limits
            self.isEntitled = isEntitled
        }
    }

    /// `NAME.app`.
    public var bundleName: String
    public var sharing: SharingKeys
    public var syncs: Bool
    public var hasUbiquity: Bool
    /// Nil where it was never used.
    public var keyValues: KeyValues?
    public var sealDifferences: [SealDifference]
    /// Why the seal could not be compared.
    public var sealDamage: String?
    public var containers: ContainerBook

    public init(
        bundleName: String, sharing: SharingKeys, syncs: Bool, hasUbiquity: Bool,
        keyValues: KeyValues? = nil, sealDifferences: [SealDifference], sealDamage: String?,
        containers: ContainerBook
    ) {
        self.bundleName = bundleName
        self.sharing = sharing
        self.syncs = syncs
        self.hasUbiquity = hasUbiquity
        self.keyValues = keyValues
        self.sealDifferences = sealDifferences
        self.sealDamage = sealDamage
        self.containers = containers
    }

    fileprivate var infoPlist: String { bundleName.child("Info.plist") }
}

struct SealCheck: AppCheck {
    func look(at app: ExaminedApp, _ found: inout FindingList) {
        if let damage = app.sealDamage { found.add(.bundleChanged, app.bundleName, damage) }
        for difference in app.sealDifferences {
            found.add(.bundleChanged, app.bundleName.child(difference.path), difference.change)
        }
    }
}

/// Of the two keys that Files wants one is missing. An app with a document browser needs neither.
struct SharingKeysCheck: AppCheck {
    func look(at app: ExaminedApp, _ found: inout FindingList) {
        guard app.sharing.itunes != app.sharing.opensInPlace, !app.sharing.documentBrowser else { return }
        let keys = ["UIFileSharingEnabled", "LSSupportsOpeningDocumentsInPlace"]
        let (has, lacks) = app.sharing.itunes ? (keys[0], keys[1]) : (keys[1], keys[0])
        found.add(.sharingHalf, app.infoPlist, "\(has) without \(lacks)")
    }
}

struct UbiquityCheck: AppCheck {
    func look(at app: ExaminedApp, _ found: inout FindingList) {
        guard app.syncs, !app.hasUbiquity else { return }
        found.add(
            .noUbiquity, app.bundleName,
            "no com.apple.developer.ubiquity-container-identifiers in the entitlements")
    }
}

/// A key-value store that is nearly full, or that a device would not give the app.
struct KeyValuesCheck: AppCheck {
    /// From this part of what it may hold on, in percent.
    private static let nearlyFullPercent = 80

    func look(at app: ExaminedApp, _ found: inout FindingList) {
        guard let store = app.keyValues, store.usage.keys > 0 else { return }
        if !store.isEntitled {
            found.add(
                .noKeyValueStore, app.bundleName,
                "no com.apple.developer.ubiquity-kvstore-identifier in the entitlements")
        }
        let place = "Library/SyncedPreferences"
        if isNearlyFull(store.usage.bytes, of: store.limits.bytes) {
            found.add(
                .keyValuesFull, place, "\(store.usage.bytes) of \(store.limits.bytes) bytes of values")
        } else if isNearlyFull(store.usage.keys, of: store.limits.keys) {
            found.add(.keyValuesFull, place, "\(store.usage.keys) of \(store.limits.keys) keys")
        }
    }

    private func isNearlyFull(_ used: Int, of most: Int) -> Bool {
        used * 100 >= most * Self.nearlyFullPercent
    }
}
