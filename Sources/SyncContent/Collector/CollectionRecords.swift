internal import CloudStore
internal import StoreBasics
package import SyncLog

/// Which runs of the collector an account had: it saves double work, nothing depends on it.
///
/// A run that begins writes an empty record of the next number, and one that ended whole a second one beside
/// it. Only that one keeps others from a run for a day.
package struct CollectionRecords: Sendable {
    /// So long others wait for a run that began.
    static let patienceSeconds: Int64 = 6 * 3600
    private static let endedSuffix = ".ended"
    private static let keptRecords = 16

    let account: Account

    package init(_ account: Account) {
        self.account = account
    }

    /// What may be done now.
    package enum Beginning: Equatable, Sendable {
        /// Collect, and say so under this number.
        case begun(UInt64)
        /// Somebody did, less than a day ago; nil: says nothing that can be read.
        case isDone(CollectionRun?)
        /// Somebody does.
        case isUnderWay
    }

    /// Begins a run where nobody else did.
    /// - Parameter own: the number of a run that this device began and did not end.
    package func begin(isForced: Bool, own: UInt64? = nil) async throws(CollectionError) -> Beginning {
        let listing = try await CollectionError.asking(
            await account.store.listAll(StoreLayout.collectionPrefix))
        let records = listing.value.compactMap(Found.init)
        if !isForced {
            let ended = records.last(where: \.isEnded)
            if let ended, age(ended, at: listing.date) < AccountRetention.daySeconds {
                return .isDone(try await read(ended))
            }
            let begun = records.last { !$0.isEnded && $0.number != own && $0.number > ended?.number ?? 0 }
            if let begun, age(begun, at: listing.date) < Self.patienceSeconds { return .isUnderWay }
        }
        let number = (records.map(\.number).max() ?? 0) &+ 1
        for record in records.dropLast(Self.keptRecords) {
            _ = try await CollectionError.asking(await account.store.delete(record.info.key))
        }
        let store = account.store.forRecords
        let key = account.layout.collection(number)
        let outcome = try await CollectionError.asking(await store.putIfAbsent([], at: key).value)
        return outcome == .written || isForced ? .begun(number) : .isUnderWay
    }

    /// Says that a run ended whole.
    @discardableResult
    package func end(
        _ number: UInt64, _ report: Collector.Report
    ) async throws(CollectionError) -> CollectionRun {
        var writer = CBORWriter(capacity: 32)
        writer.array(2)
        writer.unsigned(UInt64(report.deletedObjects))
        writer.unsigned(report.deletedBytes)
        let key = account.layout.collection(number, Self.endedSuffix)
        let bytes = writer.bytes
        let date = try await CollectionError.asking(
            await account.store.forRecords.putIfAbsent(bytes, at: key).date)
        return CollectionRun(
            ended: date, deletedObjects: UInt64(report.deletedObjects), deletedBytes: report.deletedBytes)
    }

    /// A record that a LIST showed.
    private struct Found {
        var info: ObjectInfo
        var number: UInt64
        var isEnded: Bool

        init?(_ info: ObjectInfo) {
            guard let number = StoreLayout.sequence(of: info.key, in: StoreLayout.collectionPrefix) else {
                return nil
            }
            self.info = info
            self.number = number
            isEnded = info.key.text.hasSuffix(CollectionRecords.endedSuffix)
        }
    }

    private func age(_ found: Found, at date: StoreTime) -> Int64 {
        date.seconds(since: found.info.lastModified)
    }

    private func read(_ found: Found) async throws(CollectionError) -> CollectionRun? {
        guard let object = try await CollectionError.asking(await account.store.get(found.info.key)).value
        else { return nil }
        return try? CollectionRun(object.bytes, ended: found.info.lastModified)
    }
}

extension CollectionRun {
    fileprivate init(_ bytes: [UInt8], ended: StoreTime) throws(CodingError) {
        var reader = CBORReader(bytes)
        try reader.array(of: 2)
        self.init(
            ended: ended, deletedObjects: try reader.unsigned(), deletedBytes: try reader.unsigned())
        try reader.end()
    }
}
