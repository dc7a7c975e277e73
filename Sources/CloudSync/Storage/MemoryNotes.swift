internal import StoreBasics
internal import SyncLog

/// What the collector is told, and what is fetched, as a value.
struct MemoryNotes: Sendable {
    var readFrom: UInt64?
    var lists: [UInt64: OperationList] = [:]
    var doomed: [Bits128: StoreTime] = [:]
    var collection: CollectionRun?
    var fetched: (snapshot: ContentHash, pages: [[UInt8]])?
}

extension MemoryTransaction {
    func entriesReadFrom() -> UInt64? { state.notes.readFrom }

    func setEntriesReadFrom(_ sequence: UInt64) { state.notes.readFrom = sequence }

    func operationLists(after sequence: UInt64, limit: Int) -> [OperationList] {
        let lists = state.notes.lists.values.filter { $0.sequence > sequence }
        return Array(lists.sorted { $0.sequence < $1.sequence }.prefix(limit))
    }

    func addOperationList(_ list: OperationList) { state.notes.lists[list.sequence] = list }

    func removeOperationLists(before sequence: UInt64) {
        state.notes.lists = state.notes.lists.filter { $0.key >= sequence }
    }

    func doomedPacks() -> [DoomedPack] {
        state.notes.doomed.map { DoomedPack(pack: $0.key, end: $0.value) }.sorted {
            $0.pack.value < $1.pack.value
        }
    }

    func addDoomedPack(_ doomed: DoomedPack) {
        state.notes.doomed[doomed.pack] = max(doomed.end, state.notes.doomed[doomed.pack] ?? doomed.end)
    }

    func removeDoomedPack(_ pack: Bits128, endedBy time: StoreTime) {
        if let end = state.notes.doomed[pack], end <= time { state.notes.doomed[pack] = nil }
    }

    func lastCollection() -> CollectionRun? { state.notes.collection }

    func setLastCollection(_ run: CollectionRun) { state.notes.collection = run }

    func fetchedPages(of snapshot: ContentHash) -> Int {
        state.notes.fetched.map { $0.snapshot == snapshot ? $0.pages.count : 0 } ?? 0
    }

    func addFetchedPage(_ bytes: [UInt8], of snapshot: ContentHash) {
        if fetchedPages(of: snapshot) == 0 { state.notes.fetched = (snapshot, []) }
        state.notes.fetched?.pages.append(bytes)
    }

    func fetchedPage(_ number: Int) -> [UInt8]? {
        guard let pages = state.notes.fetched?.pages, pages.indices.contains(number) else { return nil }
        return pages[number]
    }

    func removeFetchedPages() { state.notes.fetched = nil }
}
