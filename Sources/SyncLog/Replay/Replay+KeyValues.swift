internal import StoreBasics

/// Keys and values: the later word about a key counts, whatever the order in which the log got them.
extension Replay {
    mutating func set(_ operation: KeyValueOperation) throws {
        // A clock that is wrong wins no longer than until the next commit.
        let stamp = min(operation.stamp, .end(of: now))
        let record = KeyValueRecord(
            key: operation.key, value: operation.value, stamp: stamp, device: revision.device)
        if let old = try storage.keyValue(record.key), !record.isLater(than: old) { return }
        try storage.setKeyValue(record)
        change.keys.insert(record.key)
    }

    /// A key that was removed is forgotten as a deleted file is.
    mutating func expireKeys(before end: StoreTime) throws {
        while let key = try storage.firstRemovedKey(before: .start(of: end)) {
            try storage.removeKeyValue(key)
        }
    }
}
