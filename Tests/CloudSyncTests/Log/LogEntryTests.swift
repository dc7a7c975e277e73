import CloudStore
import StoreBasics
import TestKit
import Testing

@testable import CloudSync
@testable import SyncLog

@Suite struct LogEntryTests {
    private func entry(of bytes: [UInt8]) throws -> LogEntry? {
        if case .entry(let entry) = try LogEntry.decode(bytes) { entry } else { nil }
    }

    @Test func `An entry has the bytes that the format says`() throws {
        #expect(GoldenEntry.entry.encoded() == GoldenEntry.bytes)
        #expect(try entry(of: GoldenEntry.bytes) == GoldenEntry.entry)
        #expect(GoldenEntry.entry.commit?.batch == GoldenEntry.batch)
    }

    @Test func `Every batch comes back as it went, inline and spilled`() throws {
        var random = RandomOperations(seed: 1)
        for round in 0..<400 {
            let batch = random.batch()
            let encoded = EncodedBatch(batch)
            let previous = ContentHash(of: encoded.operations)
            let inline = LogEntry(
                sequence: UInt64(round), previous: previous, time: StoreTime(seconds: Int64(round)),
                batch: encoded)
            #expect(try entry(of: inline.encoded()) == inline)
            #expect(try entry(of: inline.encoded())?.commit?.batch == batch)
            let spilled = LogEntry(
                sequence: 1, previous: previous, time: StoreTime(seconds: 1), batch: encoded,
                spilled: SpilledOperations(
                    hash: previous, sizeBytes: UInt32(encoded.operations.count), locator: .object(1),
                    count: UInt32(batch.operations.count)))
            let read = try #require(try entry(of: spilled.encoded()))
            #expect(read == spilled)
            #expect(read.commit == nil)
            #expect(try read.commit(spilled: encoded.operations).batch == batch)
        }
    }

    @Test func `An entry that says other operations than its batch hash is refused`() throws {
        var other = GoldenEntry.entry
        other.n += 1
        #expect(throws: CodingError.invalid("operations that are not the batch's")) {
            try LogEntry.decode(other.encoded())
        }
        let batch = EncodedBatch(Batch(device: GoldenEntry.device, n: 258, operations: []))
        #expect(throws: CodingError.invalid("operations that are not the batch's")) {
            try GoldenEntry.entry.commit(spilled: batch.operations)
        }
    }

    @Test func `A kind of a later version is read as unknown, whatever it holds, and so is a version`() throws
    {
        var batch = GoldenEntry.batch
        batch.operations = [.unknown(kind: 4711), batch.operations[3]]
        let entry = LogEntry(
            sequence: 1, previous: GoldenEntry.hash, time: StoreTime(seconds: 0), batch: EncodedBatch(batch))
        #expect(try self.entry(of: entry.encoded())?.commit?.batch == batch)
        // [[40, {1: [-1]}, "x", h'00'], [40]]
        let operations: [UInt8] = [
            0x82, 0x84, 0x18, 40, 0xa1, 1, 0x81, 0x20, 0x61, 0x78, 0x41, 0, 0x81, 0x18, 40,
        ]
        #expect(try EncodedBatch.decodeOperations(operations) == [.unknown(kind: 40), .unknown(kind: 40)])
        #expect(try LogEntry.decode([0xa2, 0, 2, 1, 0x60]) == .unknownVersion(2))
    }

    @Test func `Other spellings of the same values are refused`() {
        // 23 in two bytes, an indefinite array, a tag, a floating number, nil, a reserved head.
        for value in [[0x18, 23], [0x9f, 0xff], [0xc0, 0], [0xf9, 0, 0], [0xf6], [0x1c]] as [[UInt8]] {
            #expect(throws: CodingError.self) {
                try EncodedBatch.decodeOperations([0x81, 0x82, 0x18, 40] + value)
            }
        }
        #expect(throws: CodingError.trailing) { try EncodedBatch.decodeOperations([0x80, 0x80]) }
        #expect(throws: CodingError.truncated) {
            try EncodedBatch.decodeOperations([0x9b] + Array(repeating: 0x7f, count: 2))
        }
    }

    @Test func `What claims to be larger than it is, or deeper than anything, is refused at once`() {
        let huge: [UInt8] = [0x9a, 0, 3, 0xff, 0xff]
        #expect(throws: CodingError.truncated) { try EncodedBatch.decodeOperations(huge) }
        #expect(throws: CodingError.tooLarge) {
            try EncodedBatch.decodeOperations([0x9b] + Array(repeating: 0xff, count: 8))
        }
        let deep: [UInt8] = [0x81, 0x82, 0x18, 40] + Array(repeating: 0x81, count: 100_000) + [0]
        #expect(throws: CodingError.tooLarge) { try EncodedBatch.decodeOperations(deep) }
        #expect(throws: CodingError.tooLarge) {
            try LogEntry.decode(Array(repeating: 0, count: LogLimits.entryBytes + 1))
        }
    }

    @Test func `Damaged bytes are an error or a value, never the end of the process`() throws {
        var random = SeededRandom(seed: 7)
        let golden = GoldenEntry.bytes
        var accepted = 0
        for round in 0..<20_000 {
            var bytes = golden
            switch round % 4 {
            case 0: bytes[random.below(bytes.count)] ^= 1 << UInt8(random.below(8))
            case 1: bytes[random.below(bytes.count)] = UInt8(random.below(256))
            case 2: bytes.removeSubrange(random.below(bytes.count)..<bytes.count)
            default: bytes = (0..<random.below(64)).map { _ in UInt8(random.below(256)) }
            }
            guard let decoded = try? LogEntry.decode(bytes), case .entry(let entry) = decoded else {
                continue
            }
            // What is accepted is what its bytes say, in their only spelling.
            #expect(entry.encoded() == bytes)
            accepted += 1
        }
        #expect(accepted > 0)
    }

    @Test func `Damaged operations are an error or a value, never the end of the process`() {
        var random = SeededRandom(seed: 8)
        let golden = EncodedBatch(GoldenEntry.batch).operations
        for _ in 0..<20_000 {
            var bytes = golden
            for _ in 0...random.below(3) { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
            guard let operations = try? EncodedBatch.decodeOperations(bytes) else { continue }
            let hasUnknown = operations.contains { if case .unknown = $0 { true } else { false } }
            let again = EncodedBatch(Batch(device: GoldenEntry.device, n: 1, operations: operations))
            #expect(hasUnknown || again.operations == bytes)
        }
    }
}
