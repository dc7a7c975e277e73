package import CloudStore
package import StoreBasics

/// A store of which everything can be read, and that answers as if what is written to it and deleted in it
/// had been: for a run that is only to say what it would do.
package struct UnchangedStore: ObjectStore {
    private let base: any ObjectStore

    package init(_ base: any ObjectStore) {
        self.base = base
    }

    package var traits: StoreTraits { base.traits }
    package var forRecords: any ObjectStore { self }
    package func freeBytes() async -> UInt64? { await base.freeBytes() }
    package func ownTime() async -> StoreTime? { await base.ownTime() }
    package func keepDates(in bounds: ClosedRange<StoreTime>) { base.keepDates(in: bounds) }

    package func putIfAbsent(_ bytes: [UInt8], at key: ObjectKey) async throws(StoreError) -> Dated<
        PutOutcome
    > {
        let found = try await base.head(key)
        return Dated(found.value == nil ? .written : .occupied, at: found.date)
    }

    package func put(_ bytes: [UInt8], at key: ObjectKey) async throws(StoreError) -> Dated<Void> {
        Dated((), at: try await base.head(key).date)
    }

    package func get(_ key: ObjectKey, range: Range<UInt64>?) async throws(StoreError) -> Dated<StoredObject?>
    {
        try await base.get(key, range: range)
    }

    package func head(_ key: ObjectKey) async throws(StoreError) -> Dated<ObjectInfo?> {
        try await base.head(key)
    }

    package func list(
        _ prefix: String, after: ObjectKey?, limit: Int
    ) async throws(StoreError) -> Dated<ObjectListing> {
        try await base.list(prefix, after: after, limit: limit)
    }

    package func delete(_ key: ObjectKey) async throws(StoreError) -> Dated<Void> {
        Dated((), at: try await base.head(key).date)
    }
}
