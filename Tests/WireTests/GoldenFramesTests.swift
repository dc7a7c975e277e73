import Foundation
import Testing

@testable import Wire

/// A daemon serves clients of other builds as long as the protocol's number is theirs: nothing that the two
/// say to each other changes without it.
@Suite struct GoldenFramesTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "GoldenFrames")
    private static let name = "protocol-\(Hello.currentProtocol).txt"

    /// A line for each example of each case: what it is, how many descriptors go with it where it is a
    /// request, and the bytes that go over the wire.
    private static func lines() throws -> [String] {
        let hello = Hello(
            build: "b", version: "v", deviceID: "d", processID: 1, mounts: ["/m"], isFull: true)
        return try [line("hello", hello)]
            + Request.allExamples.map { try line("request \($0.descriptorCount)", $0) }
            + Answer.allExamples.map { try line("answer", $0) }
    }

    private static func line(_ word: String, _ message: some Encodable) throws -> String {
        try word + " " + String(decoding: Frame(message).body, as: UTF8.self)
    }

    private static func goldenLines() throws -> [String] {
        try String(contentsOf: folder.appending(path: name), encoding: .utf8).split(separator: "\n")
            .map(String.init)
    }

    @Test func everyFrameHasTheBytesThatItsProtocolsNumberStandsFor() throws {
        let file = Self.folder.appending(path: Self.name)
        let lines = try Self.lines()
        guard FileManager.default.fileExists(atPath: file.path) else {
            try (lines.joined(separator: "\n") + "\n").write(to: file, atomically: true, encoding: .utf8)
            Issue.record("\(Self.name) was not there and is written: look it over, and remove the one before")
            return
        }
        let changes = lines.difference(from: try Self.goldenLines()).map { change in
            switch change {
            case .insert(_, let line, _): "+ " + line
            case .remove(_, let line, _): "- " + line
            }
        }
        #expect(changes == [], "bytes changed: raise Hello.currentProtocol and write the file anew")
    }

    @Test func noOtherProtocolHasAFile() throws {
        #expect(try FileManager.default.contentsOfDirectory(atPath: Self.folder.path) == [Self.name])
    }

    @Test func whatWasWrittenIsReadAsItWasMeant() throws {
        func bodies(_ word: String) throws -> [Frame] {
            try Self.goldenLines().filter { $0.hasPrefix(word + " ") }.map {
                Frame(body: Array($0.utf8.drop { $0 != UInt8(ascii: "{") }))
            }
        }
        #expect(try bodies("request").map { try $0.decode(Request.self) } == Request.allExamples)
        #expect(try bodies("answer").map { try $0.decode(Answer.self) } == Answer.allExamples)
    }

    /// What an example leaves out could change unseen.
    @Test func theFirstExampleOfEachCaseSaysAllThatItCan() {
        #expect(gaps(Request.self) + gaps(CloudRequest.self) + gaps(BackupRequest.self) == [])
        #expect(gaps(Answer.self) + gaps(CloudAnswer.self) + gaps(BackupAnswer.self) == [])
        #expect(gaps(PreferenceRequest.Action.self) == [])
    }

    @Test func eachExampleIsOfItsCase() {
        #expect(areInPlace(Request.self) && areInPlace(CloudRequest.self) && areInPlace(BackupRequest.self))
        #expect(areInPlace(Answer.self) && areInPlace(CloudAnswer.self) && areInPlace(BackupAnswer.self))
    }

    private func areInPlace<Message: FrameExamples>(_ type: Message.Type) -> Bool {
        Message.Case.allCases.allSatisfy { kind in
            let examples = Message.examples(of: kind)
            return !examples.isEmpty && examples.allSatisfy { $0.kind == kind }
        }
    }

    /// Where first examples have nothing: nil, or a list without elements.
    private func gaps<Message: FrameExamples>(_ type: Message.Type) -> [String] {
        Message.Case.allCases.flatMap { kind in
            Message.examples(of: kind).first.map { gaps(in: $0, "\(kind)") } ?? ["\(kind)"]
        }
    }

    private func gaps(in value: Any, _ path: String) -> [String] {
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional, .collection, .dictionary:
            if mirror.children.isEmpty { return [path] }
        default: break
        }
        return mirror.children.flatMap { gaps(in: $0.value, $0.label.map { "\(path).\($0)" } ?? path) }
    }
}
