import Foundation
import TestKit
import Testing

/// README.md's table of what breaks on a device: each mistake by a real program in a language that apps are
/// written in, with what shows it, and beside it the same done rightly, of which nothing is said.
@Suite(.serialized, .timeLimit(.minutes(5))) struct PainTests {
    @Test func theReadmesTableIsTheOneThatIsTested() throws {
        let shown = try Self.table().map { [$0[0], $0[1], $0[3]] }
        #expect(shown == Pain.all.map(\.cells))
    }

    @Test func aMistakeHasItsSignalAndItsTwinHasNone() throws {
        let device = try PainDevice()
        for (number, (pain, printed)) in try zip(Pain.all, Self.printed()).enumerated()
        where !pain.isOfTwoDevices {
            let mistake = try device.run(pain, number: number, isTwin: false)
            let twin = try device.run(pain, number: number, isTwin: true)
            #expect(mistake.codes == pain.codes, "\(pain): \(mistake)")
            #expect(twin.codes == [:], "\(pain): \(twin)")
            for words in [printed] + pain.events.map({ "  \($0)  " }) {
                #expect(Self.comparable(mistake.printed).contains(words), "\(pain): \(mistake)")
                #expect(!Self.comparable(twin.printed).contains(words), "\(pain): \(twin)")
            }
            guard let (wrong, right) = pain.outcomes else { continue }
            #expect(mistake.outcome.contains(wrong + "\n"), "\(pain): \(mistake)")
            #expect(twin.outcome.contains(right + "\n"), "\(pain): \(twin)")
        }
    }

    @Test func whatTwoDevicesDoApartIsNamedOnceTheyHearOfEachOther() throws {
        let programs = try PainPrograms(for: [.swift])
        let devices = try PainPair()
        for (pain, printed) in try zip(Pain.all, Self.printed()) where pain.isOfTwoDevices {
            let mistake = try devices.run(pain, programs, isTwin: false)
            #expect(Self.comparable(mistake).contains(printed), "\(pain): \(mistake)")
            let twin = try devices.run(pain, programs, isTwin: true)
            #expect(twin == "", "\(pain): \(twin)")
        }
    }

    // MARK: The table

    /// What the table says is printed.
    private static func printed() throws -> [String] {
        try table().map { comparable($0[2].trimmingCharacters(in: ["`"])) }
    }

    /// With what is another at each run in one form.
    private static func comparable(_ text: String) -> String {
        text.replacing(#/[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}/#, with: "UUID")
            .replacing(#/\[[0-9]+\]/#, with: "[PID]").replacing(#/20[0-9-]{8}T[0-9:]{8}Z/#, with: "TIME")
    }

    /// The cells of the table.
    private static func table() throws -> [[String]] {
        let path = FileManager.default.currentDirectoryPath + "/README.md"
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        let table = lines.drop { !$0.hasPrefix("| what goes wrong |") }.dropFirst(2).prefix {
            $0.hasPrefix("|")
        }
        return table.map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }
}
