internal import Databases
package import Posix
internal import SystemPackage

/// A snapshot of an app's home and its groups, in a folder of the device: every item with its facts, property
/// lists whole, databases as consistent copies, other contents by their digests.
package final class HomeSnapshot {
    /// The app's identifier.
    package let app: String
    /// Seconds since 1970.
    package let takenAt: Int64
    private let folder: SharedDescriptor
    private let connection: Connection

    /// Opens the snapshot in `folder`.
    package init(in folder: SharedDescriptor) throws {
        self.folder = folder
        (connection, app, takenAt) = try SnapshotError.translating("read the snapshot") {
            let connection = try Connection(folder.raw, SnapshotFile.name, .immutable)
            let about = try connection.prepare("SELECT format, app, takenAt FROM about")
            guard try about.step(), let app = about.text(1), let takenAt = about.integer(2) else {
                throw SnapshotError("the snapshot is damaged: delete it")
            }
            guard about.integer(0) == SnapshotFile.format else {
                throw SnapshotError("the snapshot is of a newer apphome: compare it with that")
            }
            return (connection, app, takenAt)
        }
    }

    /// All items, by their places, with their numbers.
    func items() throws -> [(number: Int64, item: SnapshotItem)] {
        let rows = try connection.prepare(
            "SELECT number, \(SnapshotItem.columns) FROM items ORDER BY owner, path")
        var items: [(number: Int64, item: SnapshotItem)] = []
        while try rows.step() {
            items.append((rows.integer(0) ?? 0, try SnapshotItem(row: rows, from: 1)))
        }
        let attributes = try attributes()
        for index in items.indices {
            if let own = attributes[items[index].number] { items[index].item.attributes = own }
        }
        return items
    }

    private func attributes() throws -> [Int64: [SnapshotItem.Attribute]] {
        let rows = try connection.prepare("SELECT item, name, value FROM attributes ORDER BY item, name")
        var attributes: [Int64: [SnapshotItem.Attribute]] = [:]
        while try rows.step() {
            guard let item = rows.integer(0), let name = rows.text(1), let value = rows.bytes(2) else {
                continue
            }
            attributes[item, default: []].append(.init(name: name, value: value))
        }
        return attributes
    }

    private lazy var byPlace = Result {
        try connection.prepare(
            "SELECT number, \(SnapshotItem.columns) FROM items WHERE owner = ? AND path = ?")
    }

    /// The item at a place, without its attributes; nil where there is none.
    func item(at place: SnapshotItem.Place) throws -> (number: Int64, item: SnapshotItem)? {
        let rows = try byPlace.get()
        defer { rows.reset() }
        try rows.bind(1, place.group ?? "")
        try rows.bind(2, place.path)
        guard try rows.step() else { return nil }
        return (rows.integer(0) ?? 0, try SnapshotItem(row: rows, from: 1))
    }

    /// The bytes of a file that is kept whole; nil for others.
    func content(of number: Int64) throws -> [UInt8]? {
        let rows = try connection.prepare("SELECT content FROM items WHERE number = ?")
        try rows.bind(1, number)
        return try rows.step() ? rows.bytes(0) : nil
    }

    /// The tables of a database that is not kept, as they were.
    func tables(of number: Int64) throws -> [TableSummary] {
        let rows = try connection.prepare(
            "SELECT name, rows, digest FROM tables WHERE item = ? ORDER BY name")
        try rows.bind(1, number)
        var tables: [TableSummary] = []
        while try rows.step() {
            guard let name = rows.text(0), let count = rows.integer(1), let digest = rows.bytes(2) else {
                continue
            }
            tables.append(TableSummary(name: name, rows: count, digest: digest))
        }
        return tables
    }

    /// The copy of a database, opened for reading; nil where it has none.
    func database(of number: Int64) throws -> DatabaseContents? {
        let path = "\(SnapshotFile.databases)/\(number)"
        guard try FileTree.exists(folder.raw, path) else { return nil }
        let databases = try FileTree.openDirectory(folder.raw, SnapshotFile.databases)
        return try DatabaseContents(in: databases.raw, String(number))
    }

    /// The copy's file, for one that is copied on; nil where it has none.
    func databaseFile(of number: Int64) throws -> SharedDescriptor? {
        let path = "\(SnapshotFile.databases)/\(number)"
        guard let file = try FileTree.openFile(folder.raw, path) else { return nil }
        return SharedDescriptor(file)
    }
}
