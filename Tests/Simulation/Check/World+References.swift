internal import CloudStore
internal import CloudSync
internal import SyncContent
internal import SyncLog

extension World {
    /// I5: every live reference leads to bytes of that hash.
    func checkReferences() {
        let chunks = truths.flatMap(\.liveChunks)
        guard !chunks.isEmpty else { return }
        guard let layout else { return fail("I5: the account has no format") }
        for chunk in chunks where !isThere(chunk, layout) {
            fail("I5: a chunk of content \(ledger.name(of: chunk.hash)) is not in the store")
        }
    }

    /// Where what lies in the store.
    var layout: StoreLayout? {
        store.objects[StoreLayout.format].flatMap { try? AccountFormat(decoding: $0.bytes) }.map {
            StoreLayout(nameKey: $0.nameKey)
        }
    }

    private func isThere(_ chunk: ChunkRecord, _ layout: StoreLayout) -> Bool {
        let locators = [chunk.locator] + chunk.replaced.map(\.locator)
        return locators.contains { locator in
            guard let object = store.objects[layout.object(of: chunk.hash, at: locator)] else { return false }
            let start = if case .pack(_, let offset) = locator { Int(offset) } else { 0 }
            let end = start + Int(chunk.sizeBytes)
            guard end <= object.bytes.count else { return false }
            return ContentHash(of: Array(object.bytes[start..<end])) == chunk.hash
        }
    }
}
