import Foundation
import TestKit
import Testing

/// Programs with the mistakes of README.md's table, and without, as `Tests/Runtimes` has them: one for each
/// language, in a folder for an app's bundle.
struct PainPrograms: ~Copyable {
    private let folder: TemporaryFolder

    private static let sources = FileManager.default.currentDirectoryPath + "/Tests/Runtimes"

    /// Makes them.
    init(for languages: [Pain.Language] = Pain.Language.allCases) throws {
        let folder = try TemporaryFolder()
        chmod(folder.path, 0o755)
        for language in languages {
            let content = try folder.directory("\(language)")
            try "<recipes/>\n".write(toFile: content + "/Recipes.plist", atomically: false, encoding: .utf8)
            let command = "cd '\(Self.sources)' && " + Self.making(language, "'\(content)'")
            let made = try apphome(["-c", command], in: content, program: "/bin/bash")
            try #require(made.status == 0, "\(command): \(made)")
        }
        self.folder = folder
    }

    /// What an app's bundle holds.
    func content(_ language: Pain.Language) -> String { "\(folder.path)/\(language)" }

    private static func making(_ language: Pain.Language, _ folder: String) -> String {
        switch language {
        case .mono: "mcs -out:\(folder)/Pains.exe Pains.cs"
        case .gnustep:
            "gcc Pains.m -o \(folder)/Pains $(gnustep-config --objc-flags) $(gnustep-config --base-libs)"
        case .swift: "strip -o \(folder)/Guide '\(Bundle.main.bundleURL.path)/foundation-guide'"
        case .node: "cp pains.js \(folder)/"
        }
    }
}

extension Pain.Language {
    /// What `apphome run` is told of a program.
    /// - Parameter words: the program's arguments.
    func command(_ words: String) -> String {
        switch self {
        case .mono: "-- mono Pains.exe \(words)"
        case .gnustep: "--for gnustep -- ./Pains \(words)"
        case .swift: "-- ./Guide \(words)"
        case .node: "-- node pains.js \(words)"
        }
    }
}

/// Runs commands of README.md on a device, of an app that stands for `Notes`, as an ordinary user.
struct PainShell {
    let folder: String
    let device: String
    let app: String
    /// What stands for `-- COMMAND`.
    var command = ""

    /// - Returns: what was printed to both streams, as README.md has it.
    func run(_ line: String, mayFail: Bool = true) throws -> String {
        let line = line.replacing("-- COMMAND", with: command).replacing("Notes", with: app)
        // Where root runs the tests, a copy that others may read lies there.
        let tools = geteuid() == 0 ? folder : URL(filePath: program).deletingLastPathComponent().path
        let script = "cd '\(folder)' && PATH='\(tools)':$PATH && { \(line); } 2>&1"
        let outcome = try apphome(
            RunPlace.asOwner + ["bash", "-c", script], in: device, program: "/usr/bin/env")
        try #require(mayFail || outcome.status == 0, "\(line): \(outcome)")
        return outcome.output.replacing(app, with: "Notes")
    }

    /// Runs `doctor`.
    /// - Parameter codes: what it finds, with the paths that it is found at.
    /// - Returns: what it printed.
    func examine(_ codes: inout [String: [String]]) throws -> String {
        struct Report: Decodable {
            struct App: Decodable {
                struct Item: Decodable { let code: String, path: String }
                let findings: [Item]
            }
            let apps: [App]
        }
        let printed = try run(Pain.doctor + " --format json=found.json")
        let found = try run("cat found.json", mayFail: false)
        let report = try JSONDecoder().decode(Report.self, from: Data(found.utf8))
        codes = Dictionary(grouping: report.apps.flatMap(\.findings), by: \.code).mapValues { findings in
            findings.map(\.path).sorted()
        }
        return printed
    }
}
