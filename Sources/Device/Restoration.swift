internal import Foundation
internal import GRDB

/// One restore on its way from staging to its place, or one that is taken back: a row of the journal.
///
/// Written before the first rename and removed after the last step, as a `Publication` is.
struct Restoration: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "restoration"

    enum Phase: String, Codable {
        /// Renames may have happened; the catalogue has the old containers still: undo.
        case publishing
        /// The catalogue has the new containers; the old ones may still lie in their places: finish.
        case committed
        /// What is left is to remove the containers that nobody can go back to, which hurries nobody.
        case kept
    }

    enum Kind: String, Codable {
        case data, group

        func place(_ container: UUID) -> String {
            self == .data ? Layout.dataContainer(container) : Layout.groupContainer(container)
        }
    }

    /// A container that takes another one's place.
    struct Exchange: Codable {
        let kind: Kind
        /// The app's, or the group's.
        let identifier: String
        let new: UUID
        /// Nil where there was none.
        let old: UUID?
        /// Whether the new one was kept from an earlier restore, and goes back there if this is undone.
        let isReturning: Bool
    }

    let id: String
    var phase = Phase.publishing
    let bundleID: String
    let exchanges: [Exchange]
    /// Containers that nobody can go back to from now on; known with the commit.
    var discarded: [UUID] = []
}

/// A container that was replaced, and can be had back.
struct ReplacedContainer: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "replacedContainer"

    let kind: Restoration.Kind
    /// The app's, or the group's.
    let identifier: String
    let container: String
    /// The app whose restore replaced it.
    let bundleID: String
    /// When, in seconds since 1970; 0: nobody noted it.
    let time: Int64
    /// Whether a restore of the app was begun since, and did not take place.
    var isPassed = false
}

/// The steps of a restore, in order. A process can end after each: the device then has the old containers or
/// the new ones, of the app and its groups alike.
enum RestoreStep: CaseIterable, Sendable {
    /// The new containers are filled and on the disk.
    case synchronized
    case journaled
    case published
    /// The catalogue has the new containers.
    case committed
    /// The old ones lie where they are kept.
    case kept
    /// What was kept from the restore before is gone: after the restore, by `removeDiscarded`.
    case discarded
    case ended
}

extension Catalogue {
    static func createRestorations(_ database: Database) throws {
        try database.create(table: Restoration.databaseTableName) { table in
            table.primaryKey("id", .text)
            for name in ["phase", "bundleID", "exchanges", "discarded"] {
                table.column(name, .text).notNull()
            }
        }
        try database.create(table: ReplacedContainer.databaseTableName) { table in
            table.column("kind", .text).notNull()
            table.column("identifier", .text).notNull()
            table.column("container", .text).notNull()
            table.column("bundleID", .text).notNull()
            table.primaryKey(["kind", "identifier"])
        }
    }

    static func addKeptTimes(_ database: Database) throws {
        try database.alter(table: ReplacedContainer.databaseTableName) { table in
            table.add(column: "time", .integer).notNull().defaults(to: 0)
            table.add(column: "isPassed", .boolean).notNull().defaults(to: false)
        }
    }

    /// A restore of the app was begun, and did not take place.
    func notePassed(_ bundleID: String) throws {
        try write { database in
            for kept in try ReplacedContainer.fetchAll(database) where kept.bundleID == bundleID {
                var passed = kept
                passed.isPassed = true
                try passed.update(database)
            }
        }
    }

    func note(_ restoration: Restoration, _ phase: Restoration.Phase) throws {
        var noted = restoration
        noted.phase = phase
        try write { [noted] in try noted.update($0) }
    }

    /// What the last restore of the app replaced.
    func replaced(by bundleID: String) throws -> [ReplacedContainer] {
        try read { try ReplacedContainer.fetchAll($0) }.filter { $0.bundleID == bundleID }
    }

    /// Takes what the app's last restore replaced from what can be had back; the journal's row says what is
    /// to be removed.
    func discardReplaced(by bundleID: String) throws {
        try write { database in
            let kept = try ReplacedContainer.fetchAll(database).filter { $0.bundleID == bundleID }
            for container in kept { try container.delete(database) }
            try Restoration(
                id: UUID().uuidString, phase: .kept, bundleID: bundleID, exchanges: [],
                discarded: kept.compactMap { UUID(uuidString: $0.container) }
            ).insert(database)
        }
    }

    func forgetReplaced(by bundleID: String) throws {
        try write { database in
            for kept in try ReplacedContainer.fetchAll(database) where kept.bundleID == bundleID {
                try kept.delete(database)
            }
        }
    }

    /// The step that makes the new containers the app's and its groups'.
    ///
    /// - Parameter placeholder: the app's row where there is none.
    /// - Returns: the journal's row as it is now.
    func commit(_ restoration: Restoration, placeholder: AppRecord) throws -> Restoration {
        var committed = restoration
        committed.phase = .committed
        return try write { database in
            for exchange in restoration.exchanges {
                try Self.put(exchange, placeholder: placeholder, database)
            }
            let returning = restoration.exchanges.filter(\.isReturning).map(\.new.uuidString)
            for kept in try ReplacedContainer.fetchAll(database) {
                let isMet = restoration.exchanges.contains { $0.replaces(kept) }
                guard kept.bundleID == restoration.bundleID || isMet else { continue }
                try kept.delete(database)
                if !returning.contains(kept.container) {
                    committed.discarded += [UUID(uuidString: kept.container)].compactMap { $0 }
                }
            }
            for exchange in restoration.exchanges {
                guard let old = exchange.old else { continue }
                try ReplacedContainer(
                    kind: exchange.kind, identifier: exchange.identifier, container: old.uuidString,
                    bundleID: restoration.bundleID, time: Int64(Date().timeIntervalSince1970)
                ).insert(database)
            }
            try committed.update(database)
            return committed
        }
    }

    private static func put(
        _ exchange: Restoration.Exchange, placeholder: AppRecord, _ database: Database
    ) throws {
        switch exchange.kind {
        case .data:
            var record = try AppRecord.fetchOne(database, key: exchange.identifier) ?? placeholder
            record.dataContainer = exchange.new.uuidString
            // Nothing else says whose the groups are that came with its data.
            if record.bundleContainer == nil {
                record.groups += placeholder.groups.filter { !record.groups.contains($0) }
            }
            try put(record, database)
        case .group:
            let old = try GroupRecord.fetchOne(database, key: exchange.identifier)
            try noteFormer(old?.container.uuidString, .group, of: exchange.identifier, database)
            try GroupRecord(
                Publication.NewGroup(identifier: exchange.identifier, container: exchange.new)
            ).upsert(database)
        }
    }
}

extension Restoration.Exchange {
    fileprivate func replaces(_ kept: ReplacedContainer) -> Bool {
        kept.kind == kind && kept.identifier == identifier
    }
}
