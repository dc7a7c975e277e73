import Testing

@testable import Wire

@Suite struct FrameTests {
    private let limits = FrameLimits(bodyBytes: 100, descriptors: 2, frameSeconds: 0.2)

    @Test func aFrameSurvivesAnyPartitionIntoPieces() throws {
        let frame = Frame(body: Array("{\"list\":{}}".utf8))
        let bytes = frame.encoded
        for size in 1...bytes.count {
            var assembler = FrameAssembler(limits: limits)
            var got: Frame?
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = rest.prefix(min(size, assembler.wantedBytes))
                rest = rest.dropFirst(piece.count)
                got = try assembler.take(piece, [])
            }
            #expect(got?.body == frame.body)
            #expect(!assembler.isInsideFrame)
        }
    }

    @Test func aLengthOverTheLimitIsRefusedBeforeItsBytesCome() {
        var assembler = FrameAssembler(limits: limits)
        #expect(throws: FrameAssembler.Violation.tooLong(bytes: 0xffff_ffff)) {
            try assembler.take([0xff, 0xff, 0xff, 0xff], [])
        }
        var other = FrameAssembler(limits: limits)
        #expect(throws: FrameAssembler.Violation.tooLong(bytes: 101)) { try other.take([0, 0, 0, 101], []) }
    }

    @Test func anEmptyFrameIsRefused() {
        var assembler = FrameAssembler(limits: limits)
        #expect(throws: FrameAssembler.Violation.empty) { try assembler.take([0, 0, 0, 0], []) }
    }

    @Test func nothingIsReadIntoTheNextFrame() throws {
        var assembler = FrameAssembler(limits: limits)
        #expect(assembler.wantedBytes == 4)
        _ = try assembler.take([0, 0], [])
        #expect(assembler.wantedBytes == 2)
        _ = try assembler.take([0, 5, 1], [])
        #expect(assembler.wantedBytes == 4)
    }
}
