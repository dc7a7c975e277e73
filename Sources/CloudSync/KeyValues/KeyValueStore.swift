internal import SyncContent
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

    /// How many keys were set here of which that is not in the log yet.
    package func pendingCount() throws -> Int { try storage.read { try $0.pendingKeyValues().count } }

    /// Keeps what is set here from going up and what others set from coming down, or lets it go on.
    package func setPaused(_ isPaused: Bool) throws {
        try storage.write { transaction in
            let new = Journal(device: DeviceID(bits: SystemSyncRandomness().identifier()))
            var journal = try transaction.journal() ?? new
            journal.isPaused = isPaused
            try transaction.setJournal(journal)
        }
    }

    /// Whether nothing was ever read or set here.
    package func isUnused() throws -> Bool {
        try storage.read { transaction in
            try transaction.keyValueClock() == KeyValueClock() && transaction.treeHead().sequence == 0
        }
    }

    /// Sets here what was set in a store that has no cloud, where the cloud has nothing else; that one is
    /// empty afterwards.
    package func takeOver(_ other: KeyValueStore) throws {
        let (pending, clock) = try other.storage.read { try ($0.pendingKeyValues(), $0.keyValueClock()) }
        guard !pending.isEmpty else { return }
        try storage.write { transaction in
            try transaction.setKeyValueClock(clock)
            for var pending in pending where pending.value != nil {
                pending.isHeld = true
                try transaction.setPendingKeyValue(pending)
            }
        }
        try other.storage.write { transaction in
            for pending in pending { try transaction.removePendingKeyValue(pending.key) }
        }
    }

    /// A key's new value.
    package struct Setting: Equatable, Sendable {
        package var key: KeyName
        /// A property list, binary; nil: removes the key.
        package var value: [UInt8]?

        package init(key: KeyName, value: [UInt8]?) {
            self.key = key
            self.value = value
        }
    }

    /// Sets keys, durably when this returns.
    /// - Parameters:
    ///   - wall: this machine's clock, in milliseconds since 1970.
    ///   - choose: is given all values as they were before, and returns what is to be set, in that order;
    ///     what it throws leaves all as it was.
    /// - Returns: all values after it.
    @discardableResult
    package func change(
        at wall: Int64, _ choose: ([KeyName: [UInt8]]) throws -> [Setting]
    ) throws -> [KeyName: [UInt8]] {
        try storage.write { transaction in
            var values = try transaction.keyValuesShown()
            let settings = try choose(values)
            guard !settings.isEmpty else { return values }
            var clock = try transaction.keyValueClock()
            // Of an account whose log was never read nobody knows whether it has the key.
            let isHeld = try transaction.treeHead().sequence == 0 && clock.offset == nil
            for setting in settings {
                // What is shown is set again.
                if let shown = try transaction.keyValue(setting.key) { clock.hear(shown.stamp) }
                try transaction.setPendingKeyValue(
                    PendingKeyValue(
                        key: setting.key, value: setting.value, stamp: clock.next(at: wall), isHeld: isHeld))
                // Its stamp is later than all that was heard.
                values[setting.key] = setting.value
            }
            try transaction.setKeyValueClock(clock)
            return values
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
