internal import CLinux
internal import Databases
internal import Foundation
internal import GRDB
internal import Posix
internal import SandboxRules
internal import SystemPackage

/// The device's catalogue: which apps, containers and settings there are.
///
/// SQLite, in WAL mode and written through to the disk at each commit: the journal of installs depends on it.
/// The daemon alone opens it. Its log keeps its room, for removing something is a transaction too, on a full
/// disk as well (`KeptLog`).
struct Catalogue: Sendable {
    private let queue: DatabaseQueue
    private struct Known {
        /// What `apps` answers until the next transaction: this process alone writes the catalogue.
        var apps: [InstalledApp]?
        var revision: UInt64 = 0
    }

    private let known = Lock(Known(), rank: .leaf)

    /// Opens or makes the catalogue in the folder `directory`.
    ///
    /// - Throws: `newerCatalogue`, with nothing changed, where a later version of this program made it.
    init(in directory: Int32) throws {
        try Self.checkFiles(in: directory)
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase {
            if let connection = $0.sqliteConnection { try KeptLog.keep(on: connection) }
            try $0.execute(sql: "PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF")
        }
        let path = "/proc/self/fd/\(directory)/\(Layout.catalogue)"
        // One queue for the whole life of the device: closing one leaves a thread of the dispatch library
        // behind that wakes every second. So WAL, which changes the file, is set only after the check.
        queue = try DatabaseQueue(path: path, configuration: configuration)
        try Self.refuseOthers(queue)
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
        try Self.migrator.migrate(queue)
        // A disk that is full gets by without; what else is wrong shows when the catalogue is written.
        try? KeptLog.fill(directory, Layout.catalogue)
    }

    /// SQLite opens by name: what lies there must be plain files of nobody else before it does.
    private static func checkFiles(in directory: Int32) throws {
        let folder = try ItemStamp(of: directory)
        for suffix in ["", "-wal", "-shm"] {
            let name = Layout.catalogue + suffix
            do {
                let stamp = try ItemStamp(directory, name)
                guard stamp.isRegular, stamp.links == 1, stamp.uid == folder.uid else {
                    throw DeviceError(
                        .notADevice, "\(name) in the device is not a plain file of its owner; remove it")
                }
            } catch Errno.noSuchFileOrDirectory where suffix.isEmpty {
                try FileTree.create(directory, name, [], mode: 0o600)
            } catch Errno.noSuchFileOrDirectory {
                continue
            }
        }
    }

    private static let schemas = Result { try KnownSchemas(migrator) }

    private static func refuseOthers(_ queue: DatabaseQueue) throws {
        switch try queue.read(schemas.get().judge) {
        case .ours: break
        case .newer:
            throw DeviceError(
                .newerCatalogue,
                "this device was made by a later apphome: install that version, or use another device")
        case .foreign:
            throw DeviceError(
                .notADevice, "\(Layout.catalogue) in the device is not as apphome makes it; remove it")
        }
    }

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1: device, apps, groups, settings, journal") { database in
            try database.create(table: "device") { $0.column("id", .text).notNull() }
            try database.execute(sql: "INSERT INTO device (id) VALUES (?)", arguments: [UUID().uuidString])
            try database.create(table: "setting") { table in
                table.primaryKey("key", .text)
                table.column("value", .text).notNull()
            }
            try createApps(database)
        }
        migrator.registerMigration("2: the cloud account, apps without cloud", migrate: createCloud)
        migrator.registerMigration("3: removals", migrate: createRemovals)
        migrator.registerMigration("4: what a change of an app takes away") { database in
            try database.alter(table: Publication.databaseTableName) { table in
                table.add(column: "dropsCaches", .boolean).notNull().defaults(to: false)
                table.add(column: "orphans", .text).notNull().defaults(to: "[]")
            }
            try database.alter(table: Removal.databaseTableName) { table in
                table.add(column: "orphans", .text).notNull().defaults(to: "[]")
            }
        }
        migrator.registerMigration("5: restores", migrate: createRestorations)
        migrator.registerMigration("6: staging beside the containers", migrate: createContainerFormat)
        migrator.registerMigration("7: the apps' names in Files", migrate: createFilesNames)
        migrator.registerMigration("8: when restores replaced something", migrate: addKeptTimes)
        migrator.registerMigration("9: containers that there were", migrate: createFormerContainers)
        migrator.registerMigration("10: where an account's sync is remembered", migrate: addAccountFolder)
        return migrator
    }

    private static func createApps(_ database: Database) throws {
        try database.create(table: "app") { table in
            table.primaryKey("bundleID", .text)
            for name in ["name", "displayName", "dataContainer", "groups", "entitlementsSource"] {
                table.column(name, .text).notNull()
            }
            for name in ["version", "executable", "bundleContainer", "sealDigest"] {
                table.column(name, .text)
            }
            for key in ["sharesITunes", "opensInPlace", "documentBrowser"] {
                table.column(key, .boolean).notNull()
            }
            table.column("entitlements", .blob)
            table.column("installed", .datetime).notNull()
        }
        try database.create(table: "groupContainer") { table in
            table.primaryKey("identifier", .text)
            table.column("container", .text).notNull()
        }
        try database.create(table: "publication") { table in
            table.primaryKey("id", .text)
            for name in ["phase", "bundleID", "bundleContainer", "dataContainer", "newGroups"] {
                table.column(name, .text).notNull()
            }
            table.column("oldBundleContainer", .text)
            table.column("oldDataContainer", .text)
        }
    }

    func read<R>(_ body: (Database) throws -> R) throws -> R { try queue.read(body) }

    /// One transaction: all of `body`, or nothing of it; on the disk when this returns.
    func write<R>(_ body: (Database) throws -> R) throws -> R {
        try queue.write { database in
            // Whoever sees the new number asks the queue, which answers after the commit.
            defer {
                known.withLock { known in
                    known.apps = nil
                    known.revision += 1
                }
            }
            return try body(database)
        }
    }

    /// Another number after each transaction.
    var revision: UInt64 { known.withLock { $0.revision } }
}

extension Catalogue {
    func deviceID() throws -> String {
        try read { try String.fetchOne($0, sql: "SELECT id FROM device") ?? "" }
    }

    /// By name, then identifier.
    func apps() throws -> [InstalledApp] {
        if let apps = known.withLock({ $0.apps }) { return apps }
        return try read { database in
            let apps = try AppRecord.fetchAll(database).map { try InstalledApp($0) }
                .sorted {
                    ($0.name.lowercased(), $0.bundleID.value) < ($1.name.lowercased(), $1.bundleID.value)
                }
            known.withLock { $0.apps = apps }
            return apps
        }
    }

    func app(_ bundleID: BundleIdentifier) throws -> InstalledApp? {
        try read { try AppRecord.fetchOne($0, key: bundleID.value) }.map { try InstalledApp($0) }
    }

    func groupContainer(_ group: GroupIdentifier) throws -> UUID? {
        try read { try GroupRecord.fetchOne($0, key: group.value) }?.container
    }

    func settings() throws -> [String: String] {
        let rows = try read { try Row.fetchAll($0, sql: "SELECT key, value FROM setting") }
        return Dictionary(rows.map { ($0["key"], $0["value"]) }) { first, _ in first }
    }

    func set(_ key: String, _ value: String) throws {
        try write {
            try $0.execute(
                sql: "INSERT OR REPLACE INTO setting (key, value) VALUES (?, ?)", arguments: [key, value])
        }
    }

    /// All rows of one part of the journal.
    func journal<Entry: FetchableRecord & TableRecord>(of _: Entry.Type) throws -> [Entry] {
        try read { try Entry.fetchAll($0) }
    }

    func begin(_ entry: some PersistableRecord & Sendable) throws { try write { try entry.insert($0) } }

    func end(_ entry: some PersistableRecord & Sendable) throws { _ = try write { try entry.delete($0) } }

    /// How far an install has come.
    func note(_ publication: Publication, _ phase: Publication.Phase) throws {
        var noted = publication
        noted.phase = phase
        try write { try noted.update($0) }
    }

    /// Makes `app` the app of its identifier, or the placeholder, with groups that are new on the device.
    static func put(_ app: InstalledApp, bringing groups: [Publication.NewGroup], _ database: Database) throws
    {
        try Self.put(AppRecord(app), database)
        for group in groups { try GroupRecord(group).insert(database) }
    }

    /// The step that makes the new app the app: its row, its groups, and the journal's phase change together.
    ///
    /// - Returns: the journal's row as it is now.
    func commit(_ publication: Publication, _ app: InstalledApp) throws -> Publication {
        var committed = publication
        committed.phase = .committed
        return try write { database in
            let before = try AppRecord.fetchOne(database, key: app.bundleID.value)?.groups ?? []
            try Self.put(app, bringing: publication.newGroups, database)
            committed.orphans = try Self.takeOrphans(among: before, database)
            try committed.update(database)
            return committed
        }
    }
}
