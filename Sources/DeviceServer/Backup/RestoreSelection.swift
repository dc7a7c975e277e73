internal import Backup
internal import Device
internal import SandboxRules
internal import Wire

/// Which apps and groups of a backup a restore is of.
struct RestoreSelection {
    struct App {
        let bundleID: BundleIdentifier
        let version: String?
        /// Those of its groups that are restored with it, each with one app only.
        var groups: [GroupIdentifier] = []
        /// Of no app that is known: restored in one step with this one, and not its own.
        var unboundGroups: [GroupIdentifier] = []

        /// What is written for it.
        var allGroups: [GroupIdentifier] { groups + unboundGroups }

        /// What of the backup that is.
        var domains: [String] {
            [BackupReader.domain(ofApp: bundleID.value)]
                + allGroups.map { BackupReader.domain(ofGroup: $0.value) }
        }
    }

    private(set) var apps: [App] = []
    /// Groups of the backup that stay as they are on the device.
    private(set) var otherGroups: [GroupIdentifier] = []
    /// Groups that come with a restore of all, and that no app here or in the backup is likely to have: an
    /// app that is installed later may.
    private(set) var unboundGroups: [GroupIdentifier] = []

    /// - Throws: for an app that the backup does not have.
    init(_ arguments: RestoreArguments, _ backup: any StoredBackup, on device: Device) throws {
        let installed = try device.apps()
        let parts = try backup.domains().compactMap(BackupReader.owner(of:))
        let stored = parts.filter { !$0.isGroup }.compactMap { BundleIdentifier($0.identifier) }
        let versions = Dictionary(backup.apps.map { ($0.bundleID, $0.version) }) { $1 }
        let chosen =
            try arguments.apps.isEmpty
            ? stored : arguments.apps.map { try Self.identifier($0, stored, installed) }
        guard !chosen.isEmpty else { throw CommandFailure("this backup has the data of no app") }
        for bundleID in chosen where !apps.contains(where: { $0.bundleID == bundleID }) {
            apps.append(App(bundleID: bundleID, version: versions[bundleID.value] ?? nil))
        }
        for part in parts where part.isGroup {
            guard let group = GroupIdentifier(part.identifier) else { continue }
            add(group, stored, installed, arguments)
        }
    }

    /// What of the backup it is made of.
    var domains: Set<String> {
        Set(apps.flatMap(\.domains) + unboundGroups.map { BackupReader.domain(ofGroup: $0.value) })
    }

    /// A group goes with an app of the restore, where all its apps on this device are in it, for another one
    /// would find older data without having been asked. Where none is here yet, it goes with those that it is
    /// named after; or else with any that has no bundle, where the person says that all groups come; or else,
    /// in a restore of all, with none.
    private mutating func add(
        _ group: GroupIdentifier, _ stored: [BundleIdentifier], _ installed: [InstalledApp],
        _ arguments: RestoreArguments
    ) {
        let all = arguments.allGroups
        let chosen = apps.map(\.bundleID)
        let owners = installed.filter { $0.groups.contains(group) }.map(\.bundleID)
        let members = owners.isEmpty ? Self.likelyOwners(of: group, among: stored) : owners
        let isWhole = all || members.allSatisfy(chosen.contains)
        let withBundle = Set(installed.filter { !$0.isPlaceholder }.map(\.bundleID))
        let anyone = all && owners.isEmpty ? chosen.firstIndex { !withBundle.contains($0) } : nil
        guard isWhole, let index = chosen.firstIndex(where: members.contains) ?? anyone else {
            if arguments.apps.isEmpty, members.isEmpty { return unboundGroups.append(group) }
            if owners.contains(where: chosen.contains) || owners.isEmpty { otherGroups.append(group) }
            return
        }
        apps[index].groups.append(group)
    }

    /// A backup does not say whose a group is. Groups are named after the apps or their maker:
    /// `group.org.example.notes.shared` is that of `org.example.notes`, or of all of `org.example`.
    private static func likelyOwners(
        of group: GroupIdentifier, among apps: [BundleIdentifier]
    ) -> [BundleIdentifier] {
        let parts = group.value.split(separator: ".")
        let tails = parts.indices.map { Array(parts[$0...]) }
        func common(_ app: BundleIdentifier) -> Int {
            let name = app.value.split(separator: ".")
            return tails.map { zip($0, name).prefix { $0 == $1 }.count }.max() ?? 0
        }
        let best = apps.map(common).max() ?? 0
        return best < 2 ? [] : apps.filter { common($0) == best }
    }

    private static func identifier(
        _ name: String, _ stored: [BundleIdentifier], _ installed: [InstalledApp]
    ) throws -> BundleIdentifier {
        let folded = name.lowercased()
        let candidates = stored.filter { bundleID in
            bundleID.value == name
                || installed.contains { $0.bundleID == bundleID && $0.name.lowercased() == folded }
        }
        guard let first = candidates.first, candidates.count == 1 || first.value == name else {
            throw CommandFailure(
                candidates.isEmpty
                    ? "this backup has no app \(name): see what it has: apphome backup list DIR, or --cloud"
                    : "\(candidates.count) apps are named \(name): give one's identifier: "
                        + candidates.map(\.value).joined(separator: ", "))
        }
        return first
    }
}
