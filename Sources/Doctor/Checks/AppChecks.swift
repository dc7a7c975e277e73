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

    /// `NAME.app`.
    public var bundleName: String
    public var sharing: SharingKeys
    public var syncs: Bool
    public var hasUbiquity: Bool
    public var sealDifferences: [SealDifference]
    /// Why the seal could not be compared.
    public var sealDamage: String?
    public var containers: ContainerBook

    public init(
        bundleName: String, sharing: SharingKeys, syncs: Bool, hasUbiquity: Bool,
        sealDifferences: [SealDifference], sealDamage: String?, containers: ContainerBook
    ) {
        self.bundleName = bundleName
        self.sharing = sharing
        self.syncs = syncs
        self.hasUbiquity = hasUbiquity
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
