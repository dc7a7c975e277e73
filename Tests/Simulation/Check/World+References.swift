internal import CloudStore
internal import CloudSync

extension World {
    /// I5: every live reference leads to bytes of that hash.
    func checkReferences() {
        let chunks = truth.liveChunks
        guard !chunks.isEmpty else { return }
        guard let bytes = store.objects[StoreLayout.format]?.bytes,
            let format = try? AccountFormat(decoding: bytes)
        else { return fail("I5: the account has no format") }
        let layout = StoreLayout(nameKey: format.nameKey)
        for chunk in chunks where !isThere(chunk, layout) {
            fail("I5: a chunk of content \(ledger.name(of: chunk.hash)) is not in the store")
        }
    }

    private func isThere(_ chunk: ChunkRecord, _ layout: StoreLayout) -> Bool {
        let locators = [chunk.locator] + chunk.replaced.map(\.locator)
        return locators.contains { locator in
            guard let object = store.objects[layout.object(of: chunk.hash, at: locator)] else { return false }
            let start = if case .pack(_, let offset) = locator { Int(offset) } else { 0 }
            let end = start + Int(chunk.sizeBytes)
            guard end <= object.bytes.count else { return false }
            return ContentHash(of: object.bytes[start..<end]) == chunk.hash
        }
    }
}
