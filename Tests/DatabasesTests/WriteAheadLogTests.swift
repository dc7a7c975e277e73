import Testing

@testable import Databases

@Suite struct WriteAheadLogTests {
    /// A header of a log with pages of 512 bytes, whose checksum is right.
    private func header(pageSize: UInt32 = 512) -> [UInt8] {
        let words: [UInt32] = [0x377f_0683, 3_007_000, pageSize, 0, 7, 9]
        let (first, second) = sum(words, 0, 0)
        return bytes(words + [first, second])
    }

    private func sum(_ words: [UInt32], _ one: UInt32, _ other: UInt32) -> (UInt32, UInt32) {
        var (first, second) = (one, other)
        for index in stride(from: 0, to: words.count, by: 2) {
            first &+= words[index] &+ second
            second &+= words[index + 1] &+ first
        }
        return (first, second)
    }

    private func bytes(_ words: [UInt32]) -> [UInt8] {
        words.flatMap { word in withUnsafeBytes(of: word.bigEndian) { Array($0) } }
    }

    private func frame(_ page: UInt32, commit: UInt32, _ running: inout (UInt32, UInt32)) -> [UInt8] {
        let content = [UInt32](repeating: page, count: 128)
        running = sum([page, commit], running.0, running.1)
        running = sum(content, running.0, running.1)
        return bytes([page, commit, 7, 9, running.0, running.1] + content)
    }

    @Test func onlyWhatWasCommittedCounts() throws {
        var log = try #require(WriteAheadLog(header: header()))
        var running = sum([0x377f_0683, 3_007_000, 512, 0, 7, 9], 0, 0)
        var isAdded = log.add(frame: frame(2, commit: 0, &running), at: 32)
        #expect(isAdded && log.pageCount == nil && log.pages.isEmpty)
        isAdded = log.add(frame: frame(1, commit: 5, &running), at: 568)
        #expect(isAdded && log.pageCount == 5)
        #expect(log.pages == [1: 592, 2: 56])
        isAdded = log.add(frame: frame(2, commit: 0, &running), at: 1104)
        #expect(isAdded && log.pages == [1: 592, 2: 56])
        // A frame of another round ends it.
        var other = (UInt32(1), UInt32(2))
        isAdded = log.add(frame: frame(3, commit: 6, &other), at: 1640)
        #expect(!isAdded)
    }

    @Test func nonsenseIsNoLogAndNeverATrap() {
        #expect(WriteAheadLog(header: []) == nil)
        for size: UInt32 in [0, 1, 511, 513, 131_072, .max] {
            #expect(WriteAheadLog(header: header(pageSize: size)) == nil)
        }
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            var random = header()
            random[Int.random(in: 0..<32, using: &generator)] ^= 1
            #expect(WriteAheadLog(header: random) == nil)
        }
        guard var log = WriteAheadLog(header: header()) else { return }
        for count in [0, 1, 23, 24, 535, 536, 537] {
            let frame = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let isAdded = log.add(frame: frame, at: 32)
            #expect(!isAdded)
        }
    }
}
