internal import Foundation
internal import GRDB
internal import SyncLog

/// The tree as a whole, and its place in the log, in SQLite.
extension SQLiteTransaction {
    private func summary() throws -> TreeSummary {
        if let summary = tree.summary { return summary }
        let stored = try first("SELECT record FROM treeSummary", []) { try TreeSummary($0.bytes(0)) }
        tree.summary = stored ?? TreeSummary()
        return stored ?? TreeSummary()
    }

    func changeSummary(_ body: (inout TreeSummary) throws -> Void) throws {
        var summary = try summary()
        try body(&summary)
        tree.summary = summary
        tree.isSummaryChanged = true
    }

    /// Keeps the record sum while a row changes, by the bytes that were there and those that come.
    func replaceRecord(_ old: [UInt8]?, by new: [UInt8]?) throws {
        if old == new { return }
        try changeSummary { summary in
            if let old { summary.sum.subtract(ContentHash(of: old)) }
            if let new { summary.sum.add(ContentHash(of: new)) }
        }
    }

    /// Writes the summary, once a transaction.
    func finishTree() throws {
        guard tree.isSummaryChanged, let summary = tree.summary else { return }
        try execute("DELETE FROM treeSummary", [])
        try execute("INSERT INTO treeSummary (record) VALUES (?)", [Data(summary.encoded())])
        tree.isSummaryChanged = false
    }

    func treeCounts() throws -> TreeCounts { try summary().counts }
    func recordSum() throws -> HashSum { try summary().sum }
    func treeHead() throws -> TreeHead { try summary().head }
    func setTreeHead(_ head: TreeHead) throws { try changeSummary { $0.head = head } }

    func clearTree() throws {
        for table in Self.treeTables { try execute("DELETE FROM \(table)", []) }
        tree = SQLiteTreeMemory(summary: TreeSummary(), isSummaryChanged: true)
    }

    func commitProgress() throws -> CommitProgress? {
        try first("SELECT entryHash, applied, brought FROM treeProgress", []) { row in
            guard let hash = ContentHash(try row.bytes(0)) else {
                throw TreeError.damaged("a hash of another length")
            }
            return CommitProgress(entryHash: hash, applied: row[1], brought: try row.bytes(2))
        }
    }

    func setCommitProgress(_ progress: CommitProgress?) throws {
        try execute("DELETE FROM treeProgress", [])
        guard let progress else { return }
        try execute(
            "INSERT INTO treeProgress (entryHash, applied, brought) VALUES (?, ?, ?)",
            [progress.entryHash.blob, progress.applied, Data(progress.brought)])
    }

    // MARK: Devices and words
    private static func mark(_ row: Row) throws -> DeviceMark {
        guard case .device(let mark) = try SnapshotRecord(row.bytes(0)) else {
            throw TreeError.damaged("a row that is no device")
        }
        return mark
    }

    func deviceMark(_ device: DeviceID) throws -> DeviceMark? {
        try first("SELECT record FROM treeDevice WHERE device = ?", [device.blob], Self.mark)
    }

    func setDeviceMark(_ mark: DeviceMark) throws {
        let old = try first("SELECT record FROM treeDevice WHERE device = ?", [mark.device.blob]) {
            try $0.bytes(0)
        }
        let record = SnapshotRecord.device(mark).encoded()
        try replaceRecord(old, by: record)
        try execute(
            "INSERT OR REPLACE INTO treeDevice (device, record) VALUES (?, ?)",
            [mark.device.blob, Data(record)])
    }

    func deviceMarks() throws -> [DeviceMark] {
        try all("SELECT record FROM treeDevice ORDER BY device", [], Self.mark)
    }

    func words() throws -> [String] {
        try all("SELECT word FROM treeWord ORDER BY word", []) { $0[0] }
    }

    func addWord(_ word: String) throws {
        try execute("INSERT OR IGNORE INTO treeWord (word) VALUES (?)", [word])
    }
}

/// What a transaction of the database remembers of the tree.
struct SQLiteTreeMemory {
    /// Nil until somebody asks.
    var summary: TreeSummary?
    var isSummaryChanged = false
}
