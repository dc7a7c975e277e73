extension SnapshotRecord {
    /// Of the record's bytes.
    package var hash: ContentHash { ContentHash(of: encoded()) }
}

extension TreeStorage {
    /// The canonical hash: equal on all devices whose tree holds the log up to the same slot.
    ///
    /// Made of the head and of the sum of all records' hashes, so it does not depend on the storage's order
    /// and costs nothing where the sum is kept.
    package func treeHash() throws -> ContentHash {
        let sum = try recordSum()
        return ContentHash(
            of: ContentHash(high: sum.high, low: sum.low).bytes + (try treeHead().encoded()))
    }

    /// The record sum from the rows themselves: where it is not kept, and to prove the kept one.
    package func computeRecordSum() throws -> HashSum {
        var sum = HashSum()
        try forEachRecord { sum.add($0.hash) }
        return sum
    }

    /// All records in ascending order of their keys, as a snapshot has them; read in pages, so that a million
    /// items are never in memory at once.
    package func forEachRecord(_ body: (SnapshotRecord) throws -> Void) throws {
        try forEachRow(chunks, after: \.hash) { try body(.chunk($0)) }
        try forEachRow(nodes, after: \.id) { try body(.node($0)) }
        try forEachRow(retainedContents, after: \.key) { try body(.retained($0)) }
        for mark in try deviceMarks() { try body(.device(mark)) }
        try forEachRow(keyValues, after: \.key) { try body(.keyValue($0)) }
    }

    /// All rows of a kind, read in pages.
    /// - Parameter page: some of them, after a key.
    package func forEachRow<Key, Row>(
        _ page: (Key?, Int) throws -> [Row], after key: (Row) -> Key, _ body: (Row) throws -> Void
    ) throws {
        let limit = 1000
        var last: Key?
        while true {
            let rows = try page(last, limit)
            for row in rows { try body(row) }
            guard rows.count == limit, let final = rows.last else { return }
            last = key(final)
        }
    }
}
