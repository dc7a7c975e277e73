import Testing

@testable import CloudSync
@testable import SyncContent
@testable import SyncLog

@Suite("Bytes are cut where they say so themselves")
struct ChunkerTests {
    let random = ContentFixture.Random(7)
    let parameters = ChunkingParameters(seed: [UInt8](repeating: 5, count: 32))

    private func cut(_ bytes: [UInt8], runs: (Int) -> Int = { _ in 1 << 20 }) -> CutContent {
        var cutter = ContentCutter(parameters)
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + max(1, runs(start)))
            cutter.append(Array(bytes[start..<end]))
            start = end
        }
        return cutter.finish()
    }

    /// Bytes of pieces that the first did not have.
    private func new(_ after: CutContent, since before: CutContent) -> Int {
        let had = Set(before.pieces.map(\.hash))
        return after.pieces.filter { !had.contains($0.hash) }.reduce(0) { $0 + Int($1.sizeBytes) }
    }

    @Test("cuts do not depend on the runs in which bytes come")
    func runs() {
        let bytes = random.bytes(12 << 20)
        let whole = cut(bytes) { _ in bytes.count }
        #expect(cut(bytes) { _ in 1 + random.below(400_000) } == whole)
        #expect(cut(bytes) { _ in 65_536 } == whole)
        #expect(whole.pieces.reduce(0) { $0 + UInt64($1.sizeBytes) } == whole.sizeBytes)
        #expect(whole.hash == ContentHash(of: bytes))
    }

    @Test("every piece but the last has 256 KiB to 4 MiB, on average 0.6 MiB")
    func sizes() {
        let pieces = cut(random.bytes(32 << 20)).pieces
        for piece in pieces.dropLast() {
            #expect((parameters.minimumBytes...parameters.maximumBytes).contains(Int(piece.sizeBytes)))
        }
        #expect((40...70).contains(pieces.count))
    }

    @Test("bytes that are all equal are cut too")
    func zeros() {
        let pieces = cut([UInt8](repeating: 0, count: 10 << 20)).pieces
        #expect(Set(pieces.dropLast()).count == 1)
    }

    @Test("a file of at most 256 KiB is one piece, an empty one none")
    func smallFiles() {
        #expect(cut(random.bytes(256 << 10)).pieces.count == 1)
        #expect(cut([]).pieces.isEmpty)
        #expect(cut([]).hash == ContentHash(of: []))
    }

    @Test("1 MiB overwritten in a large file sends at most 4 MiB", arguments: [1, 2, 3])
    func overwrite(seed: UInt64) {
        let random = ContentFixture.Random(seed)
        let bytes = random.bytes(12 << 20)
        let before = cut(bytes)
        for _ in 0..<2 {
            var changed = bytes
            let start = random.below(bytes.count - (1 << 20))
            changed.replaceSubrange(start..<start + (1 << 20), with: random.bytes(1 << 20))
            #expect(new(cut(changed), since: before) <= 4 << 20)
        }
    }

    @Test("a byte that is put in sends at most 4 MiB", arguments: [11, 12])
    func insertion(seed: UInt64) {
        let random = ContentFixture.Random(seed)
        let bytes = random.bytes(12 << 20)
        let before = cut(bytes)
        for _ in 0..<2 {
            var changed = bytes
            changed.insert(7, at: random.below(bytes.count))
            #expect(new(cut(changed), since: before) <= 4 << 20)
        }
    }

    @Test("accounts with other seeds cut elsewhere")
    func seeds() {
        let bytes = random.bytes(8 << 20)
        var other = ContentCutter(ChunkingParameters(seed: [UInt8](repeating: 6, count: 32)))
        other.append(bytes)
        #expect(other.finish().pieces != cut(bytes).pieces)
    }
}
