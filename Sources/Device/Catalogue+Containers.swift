public import Foundation
internal import GRDB
internal import SandboxRules

/// A directory of this device that is called by a UUID, and whose path an app may have written down.
public struct KnownContainer: Sendable, Equatable {
    public enum Kind: String, Codable, Sendable { case data, bundle, group }

    public let kind: Kind
    /// The app's, or the group's.
    public let identifier: String
    public let container: UUID
    /// Whether the container has this name now, and not only before an upgrade, a restore or a removal.
    public let isCurrent: Bool
}

extension Device {
    /// The containers that there are, then those that there were: newest first, and the newest ten thousand.
    public func knownContainers() throws(DeviceError) -> [KnownContainer] {
        try performing("look which containers there were") { try catalogue.knownContainers() }
    }
}

/// A container that the catalogue had, and has no more: a row of the table `formerContainer`.
///
/// Nothing of it is left but its name, which stands in files whose app wrote a whole path.
struct FormerContainer: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "formerContainer"
    /// An upgrade brings two, so this is some years of a test machine.
    static let most = 10_000

    let container: String
    let kind: KnownContainer.Kind
    let identifier: String
}

extension Catalogue {
    static func createFormerContainers(_ database: Database) throws {
        try database.create(table: FormerContainer.databaseTableName) { table in
            table.primaryKey("container", .text)
            for name in ["kind", "identifier"] { table.column(name, .text).notNull() }
        }
    }

    /// Notes that a container is called so no more. Part of the transaction in which it ceases to be.
    static func noteFormer(
        _ container: String?, _ kind: KnownContainer.Kind, of identifier: String, _ database: Database
    ) throws {
        guard let container else { return }
        // Anew where an undone restore brought it back meanwhile: rows are in the order of their ends.
        try FormerContainer.deleteOne(database, key: container)
        try FormerContainer(container: container, kind: kind, identifier: identifier).insert(database)
        try database.execute(
            sql: """
                DELETE FROM formerContainer WHERE rowid IN
                (SELECT rowid FROM formerContainer ORDER BY rowid DESC LIMIT -1 OFFSET ?)
                """,
            arguments: [FormerContainer.most])
    }

    /// Notes what an app's row names and the one that takes its place does not.
    /// - Parameter new: nil where the app leaves the device.
    static func noteFormer(_ old: AppRecord?, replacedBy new: AppRecord?, _ database: Database) throws {
        guard let old else { return }
        if old.dataContainer != new?.dataContainer {
            try noteFormer(old.dataContainer, .data, of: old.bundleID, database)
        }
        if old.bundleContainer != new?.bundleContainer {
            try noteFormer(old.bundleContainer, .bundle, of: old.bundleID, database)
        }
    }

    func knownContainers() throws -> [KnownContainer] {
        let (apps, groups, former) = try read { database in
            (
                try AppRecord.fetchAll(database), try GroupRecord.fetchAll(database),
                try FormerContainer.fetchAll(
                    database, sql: "SELECT * FROM formerContainer ORDER BY rowid DESC")
            )
        }
        func known(_ kind: KnownContainer.Kind, _ identifier: String, _ text: String?, isCurrent: Bool)
            -> KnownContainer?
        {
            guard let container = text.flatMap(UUID.init(uuidString:)) else { return nil }
            return KnownContainer(
                kind: kind, identifier: identifier, container: container, isCurrent: isCurrent)
        }
        let current =
            apps.flatMap { app in
                [
                    known(.data, app.bundleID, app.dataContainer, isCurrent: true),
                    known(.bundle, app.bundleID, app.bundleContainer, isCurrent: true),
                ]
            } + groups.map { known(.group, $0.identifier, $0.container.uuidString, isCurrent: true) }
        let found = current.compactMap { $0 }
        let taken = Set(found.map(\.container))
        return found
            + former.compactMap { known($0.kind, $0.identifier, $0.container, isCurrent: false) }
            .filter { !taken.contains($0.container) }
    }
}
