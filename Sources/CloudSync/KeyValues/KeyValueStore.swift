package import SyncLog

/// A key-value store as this device has it: what its log said, and over it what was set here and is not in
/// the log yet. Nothing here asks the cloud.
package struct KeyValueStore: Sendable {
    package let storage: any SyncStorage

    package init(_ storage: any SyncStorage) {
        self.storage = storage
    }

    /// - Returns: the value as it was set; nil where the key has none.
    package func value(_ key: KeyName) throws -> [UInt8]? {
        try storage.read { try $0.keyValueShown(key)?.value }
    }

    /// All keys that have one.
    package func values() throws -> [KeyName: [UInt8]] { try storage.read { try $0.keyValuesShown() } }

    /// Sets a key, durably when this returns.
    /// - Parameters:
    ///   - value: a property list, binary; nil: removes the key.
    ///   - wall: this machine's clock, in milliseconds since 1970.
    ///   - check: is given all values as they were before; what it throws leaves all as it was.
    package func set(
        _ key: KeyName, to value: [UInt8]?, at wall: Int64, check: ([KeyName: [UInt8]]) throws -> Void
    ) throws {
        try storage.write { transaction in
            try check(transaction.keyValuesShown())
            var clock = try transaction.keyValueClock()
            let stamp = clock.next(at: wall)
            try transaction.setKeyValueClock(clock)
            // Of an account whose log was never read nobody knows whether it has the key.
            let isHeld = try transaction.treeHead().sequence == 0 && clock.offset == nil
            try transaction.setPendingKeyValue(
                PendingKeyValue(key: key, value: value, stamp: stamp, isHeld: isHeld))
        }
    }
}

extension SyncTransaction {
    /// What counts of a key: what is pending, where the log has nothing later.
    func keyValueShown(_ key: KeyName) throws -> KeyValueRecord? {
        let record = try keyValue(key)
        guard let pending = try pendingKeyValue(key) else { return record }
        return try shown(record, pending)
    }

    func keyValuesShown() throws -> [KeyName: [UInt8]] {
        var shown: [KeyName: [UInt8]] = [:]
        for record in try keyValues(after: nil, limit: .max) { shown[record.key] = record.value }
        for pending in try pendingKeyValues() {
            shown[pending.key] = try self.shown(try keyValue(pending.key), pending).value
        }
        return shown
    }

    private func shown(_ record: KeyValueRecord?, _ pending: PendingKeyValue) throws -> KeyValueRecord {
        let own = KeyValueRecord(
            key: pending.key, value: pending.value, stamp: pending.stamp,
            device: try journal()?.device ?? DeviceID(bits: 0))
        guard let record, record.isLater(than: own) else { return own }
        return record
    }
}
