internal import Foundation
internal import GRDB
internal import SyncLog

/// The tree's items in SQLite. The summary follows each write of a record, so it is never computed.
extension SQLiteTransaction {
    static func node(_ row: Row) throws -> Node { try node(row.bytes(0)) }

    private static func node(_ bytes: [UInt8]) throws -> Node {
        guard case .node(let node) = try SnapshotRecord(bytes) else {
            throw TreeError.damaged("a row that is no item")
        }
        return node
    }

    private func nodeRecord(_ id: FileID) throws -> [UInt8]? {
        try first("SELECT record FROM treeNode WHERE id = ?", [id.blob]) { try $0.bytes(0) }
    }

    func node(_ id: FileID) throws -> Node? { try nodeRecord(id).map(Self.node) }

    func setNode(_ node: Node) throws {
        let oldRecord = try nodeRecord(node.id)
        let record = SnapshotRecord.node(node).encoded()
        let old = try oldRecord.map(Self.node)
        try replaceRecord(oldRecord, by: record)
        try changeSummary { $0.counts.replace(old, by: node) }
        let columns = "parent, isLive, name, isConflict, record, id"
        try execute(
            old == nil
                ? "INSERT INTO treeNode (\(columns)) VALUES (?, ?, ?, ?, ?, ?)"
                : "UPDATE treeNode SET (\(columns)) = (?, ?, ?, ?, ?, ?6) WHERE id = ?6",
            [
                node.parent.blob, node.isLive, NormalizedName(node.name).text, node.isConflict, Data(record),
                node.id.blob,
            ])
    }

    func removeNode(_ id: FileID) throws {
        guard let record = try nodeRecord(id) else { return }
        let old = try Self.node(record)
        try replaceRecord(record, by: nil)
        try changeSummary { $0.counts.replace(old, by: nil) }
        try execute("DELETE FROM treeNode WHERE id = ?", [id.blob])
    }

    func alias(_ id: FileID) throws -> FileID? {
        try first("SELECT target FROM treeAlias WHERE id = ?", [id.blob]) { try $0.file(0) }
    }

    func setAlias(_ id: FileID, to target: FileID?) throws {
        if let target {
            try execute(
                "INSERT OR REPLACE INTO treeAlias (id, target) VALUES (?, ?)", [id.blob, target.blob])
        } else {
            try execute("DELETE FROM treeAlias WHERE id = ?", [id.blob])
        }
    }

    // MARK: Directories
    func child(of parent: FileID, named name: NormalizedName) throws -> FileID? {
        try first(
            "SELECT id FROM treeNode WHERE parent = ? AND name = ? AND isLive = 1", [parent.blob, name.text]
        ) { try $0.file(0) }
    }

    func children(of parent: FileID, after name: NormalizedName?, limit: Int) throws -> [Node] {
        // No name is empty, so every name comes after the empty one.
        try all(
            """
            SELECT record FROM treeNode WHERE parent = ? AND name > ? AND isLive = 1
            ORDER BY name LIMIT ?
            """, [parent.blob, name?.text ?? "", limit], Self.node)
    }

    func formerChildren(of parent: FileID, after id: FileID?, limit: Int) throws -> [Node] {
        try all(
            """
            SELECT record FROM treeNode WHERE parent = ? AND id > ? AND isLive = 0 ORDER BY id LIMIT ?
            """, [parent.blob, (id ?? .root).blob, limit], Self.node)
    }

    func hasChildren(_ parent: FileID) throws -> Bool {
        try first("SELECT 1 FROM treeNode WHERE parent = ? AND isLive = 1 LIMIT 1", [parent.blob]) { _ in }
            != nil
    }

    func hasFormerChildren(_ parent: FileID) throws -> Bool {
        try first("SELECT 1 FROM treeNode WHERE parent = ? AND isLive = 0 LIMIT 1", [parent.blob]) { _ in }
            != nil
    }

    // MARK: As a whole
    func conflicts(after id: FileID?, limit: Int) throws -> [Node] {
        try all(
            "SELECT record FROM treeNode WHERE isConflict = 1 AND id > ? ORDER BY id LIMIT ?",
            [(id ?? .root).blob, limit], Self.node)
    }

    func conflicts(in parent: FileID) throws -> [Node] {
        // There are few, and their index names no directories.
        try all(
            """
            SELECT record FROM treeNode INDEXED BY treeConflict
            WHERE isConflict = 1 AND id > ? AND parent = ? ORDER BY id
            """, [FileID.root.blob, parent.blob], Self.node)
    }

    func nodes(after id: FileID?, limit: Int) throws -> [Node] {
        // The root's id is the least and no row has it.
        try all(
            "SELECT record FROM treeNode WHERE id > ? ORDER BY id LIMIT ?", [(id ?? .root).blob, limit],
            Self.node)
    }
}
