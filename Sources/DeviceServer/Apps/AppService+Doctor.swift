internal import Device
internal import FoundationEssentials
internal import PropertyLists
internal import SandboxRules
internal import Wire

extension AppService {
    /// What `doctor` is told: what stands in the catalogue, and whether the bundle is as it was installed,
    /// which is found out by reading all of it.
    func facts(of name: String) throws -> DoctorFacts {
        let app = try device.app(named: name)
        let containers = try device.knownContainers().map {
            NamedContainer(
                uuid: $0.container.uuidString, kind: $0.kind.rawValue, identifier: $0.identifier,
                isCurrent: $0.isCurrent)
        }
        let entitlements = try? app.entitlements.map { try Entitlements($0) }
        let sharing = SharingFacts(
            itunes: app.sharing.itunes, opensInPlace: app.sharing.opensInPlace,
            documentBrowser: app.sharing.documentBrowser)
        var facts = DoctorFacts(
            containers: containers, sharing: sharing, syncs: try cloud.syncs(app),
            hasUbiquity: entitlements.map { !$0.ubiquityContainers.isEmpty } ?? false,
            keyValues: try keyValueFacts(of: app, entitlements), sealDifferences: [])
        do throws(DeviceError) {
            facts.sealDifferences = try device.verifySeal(of: app).prefix(Self.mostDifferences).map {
                SealReport(path: $0.path, change: $0.change.rawValue)
            }
        } catch {
            facts.sealDamage = error.message
        }
        return facts
    }

    private static let mostDifferences = 1000

    private func keyValueFacts(
        of app: InstalledApp, _ entitlements: Entitlements?
    ) throws -> KeyValueFacts? {
        guard let values = try cloud.keyValues.values(of: KeyValueStores.identifier(of: app)) else {
            return nil
        }
        let (usage, limits) = (SandboxRules.KeyValueLimits.Usage(values), try device.settings().limits)
        return KeyValueFacts(
            keys: usage.keys, bytes: usage.bytes, mostKeys: limits.keys, mostBytes: limits.totalBytes,
            isEntitled: entitlements?.keyValueStore != nil)
    }
}
