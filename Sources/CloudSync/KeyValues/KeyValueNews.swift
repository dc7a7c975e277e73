package import SyncLog

/// What others did to a key-value store, as `NSUbiquitousKeyValueStoreDidChangeExternally` tells it.
package struct KeyValueChange: Equatable, Sendable {
    /// The numbers are iOS's.
    package enum Reason: Int, Sendable {
        case server = 0
        case initialSync = 1
        /// What devices set together is more than the limits allow.
        case quotaViolation = 2
        case accountChange = 3
    }

    package var reason: Reason
    /// Ascending.
    package var keys: [KeyName]

    package init(reason: Reason, keys: [KeyName]) {
        self.reason = reason
        self.keys = keys
    }
}

/// What became of a key-value store.
package enum KeyValueNews: Equatable, Sendable {
    case changed(KeyValueChange)
    /// What was set here is in the cloud's store, or somebody set it later.
    case sent
}

/// A key-value store that the engine keeps in step.
package struct AttachedKeyValues: Sendable {
    /// The store's, which apps may have in common.
    package var identifier: String
    package var storage: any SyncStorage
    /// Whether all values together are more than may be set.
    package var isOverLimit: @Sendable ([KeyName: [UInt8]]) -> Bool
    /// On the engine's thread; never of what was set here but `sent`.
    package var told: @Sendable (KeyValueNews) -> Void

    package init(
        identifier: String, storage: any SyncStorage,
        isOverLimit: @escaping @Sendable ([KeyName: [UInt8]]) -> Bool,
        told: @escaping @Sendable (KeyValueNews) -> Void
    ) {
        self.identifier = identifier
        self.storage = storage
        self.isOverLimit = isOverLimit
        self.told = told
    }
}
