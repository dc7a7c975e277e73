import Testing

@testable import Wire

/// What is sent for its speed is what everything else sends.
@Suite struct EventEncoderTests {
    @Test func framesHaveTheBytesThatAnEncoderMakesOfThem() throws {
        let controls = String(String.UnicodeScalarView((UInt8(1)...127).map { Unicode.Scalar($0) }))
        let texts = ["", "a/b\\\"c", controls, "Gr\u{fc}\u{df}e e\u{301} \u{2028}\u{7f}\u{85} 😀", "\u{fffd}"]
        var events = texts.map { text in
            WatchedEvent(
                sequence: .max, time: Timestamp(seconds: 0), app: text, event: text, path: text,
                detail: text, pid: -1, program: text)
        }
        events.append(WatchedEvent(sequence: 0, time: Timestamp(seconds: 1), app: "a", event: "e"))
        var generator = SystemRandomNumberGenerator()
        let times =
            (0..<2000).map { _ in Double.random(in: 0...2_000_000_000, using: &generator) }
            + (0..<2000).map { _ in Double(Int.random(in: 0...2_000_000_000_000, using: &generator)) / 1000 }
            + (0..<2000).map { 1_700_000_000 + Double($0) / 1000 } + [-1.5, 253_402_300_799, 0.9999, 0.0005]
        events += times.map {
            WatchedEvent(sequence: 1, time: Timestamp(seconds: $0), app: "a", event: "e", path: "p")
        }
        var encoder = EventEncoder()
        for event in events {
            var bytes: [UInt8] = [1]
            encoder.append(event, to: &bytes)
            let expected = try Frame(Answer.event(event)).encoded
            let isSame = bytes.dropFirst().elementsEqual(expected)
            #expect(isSame, "\(event.time.seconds): \(String(decoding: bytes.dropFirst(5), as: UTF8.self))")
            if !isSame { return }
        }
    }
}
