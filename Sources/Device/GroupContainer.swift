public import Foundation
internal import GRDB
public import SandboxRules

/// The one container that the apps of a group share.
public struct GroupContainer: Sendable, Equatable {
    public let group: GroupIdentifier
    /// The directory in `Containers/Shared/AppGroup`.
    public let container: UUID
    /// Apps and placeholders whose entitlements name the group; it goes with the last of them.
    public let owners: [BundleIdentifier]

    /// The directory, relative to the device's folder.
    public var path: String { Layout.groupContainer(container) }
}

extension Catalogue {
    /// By the group's name.
    func groupContainers() throws -> [GroupContainer] {
        try read { database in
            let apps = try AppRecord.fetchAll(database)
            return try GroupRecord.fetchAll(database).compactMap { record -> GroupContainer? in
                guard let group = GroupIdentifier(record.identifier) else { return nil }
                let owners = apps.filter { $0.groups.contains(record.identifier) }.map(\.bundleID).sorted()
                return GroupContainer(
                    group: group, container: record.container,
                    owners: owners.compactMap { BundleIdentifier($0) })
            }
        }
        .sorted { $0.group.value < $1.group.value }
    }

    /// Takes those of `groups`, which an app had, out of the catalogue that no app has any more.
    ///
    /// Part of the transaction that takes them from the app, so that the count is never wrong. Others that
    /// nobody has stay: a restore may have brought them before their app.
    /// - Returns: their containers, which the caller removes.
    static func takeOrphans(among groups: [String], _ database: Database) throws -> [UUID] {
        let owned = Set(try AppRecord.fetchAll(database).flatMap(\.groups))
        let orphans = try GroupRecord.fetchAll(database).filter {
            groups.contains($0.identifier) && !owned.contains($0.identifier)
        }
        for orphan in orphans {
            try noteFormer(orphan.container.uuidString, .group, of: orphan.identifier, database)
            try orphan.delete(database)
        }
        return orphans.map(\.container)
    }
}

/// A row of the table `groupContainer`.
struct GroupRecord: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "groupContainer"

    let identifier: String
    let container: UUID

    static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy {
        .uppercaseString
    }

    init(_ new: Publication.NewGroup) {
        identifier = new.identifier
        container = new.container
    }
}
