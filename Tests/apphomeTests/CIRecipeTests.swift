import Foundation
import Testing

/// The recipes of README.md for services that build: their scripts, run in a checkout.
@Suite(.serialized, .timeLimit(.minutes(5))) struct CIRecipeTests {
    /// What each test run writes, once it has run in a home.
    private static let tests = "test -f Info.plist && touch build/ran && echo list > ~/Documents/list\n"

    @Test func theStepsForGitHubActionsRunInACheckout() throws {
        let place = try CheckPlace(tests: Self.tests)
        let steps = try Self.scripts().filter { $0.kind == "run: |" }
        // The machine's own set-up changes it for good.
        let script = steps.map(\.text).joined().split(separator: "\n").filter { !$0.hasPrefix("sudo ") }
        #expect(steps.count == 2 && script.count == 2, "\(steps)")
        let outcome = try place.start(["bash", "-e", "-c", script.joined(separator: "\n")]).wait()
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.errors.contains("the command, after an upgrade, exited with 0"), "\(outcome)")
        #expect(text(place.checkout + "/apphome.sarif")?.contains("\"2.1.0\"") == true)
        #expect(try names(place.checkout + "/build") == ["ran"] && place.leftovers == [])
    }

    @Test(.enabled(if: geteuid() == 0)) func theScriptForGitLabRunsInARootsCheckout() throws {
        let place = try CheckPlace(tests: Self.tests)
        let scripts = try Self.scripts().filter { $0.kind == "script:" }
        let script = try #require(scripts.first?.text)
        #expect(scripts.count == 1 && script.contains("ci-check"))
        let outcome = try place.start(["sh", "-e", "-c", script], asRoot: true).wait()
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output == "Notes: nothing found; 1 file looked at\n", "\(outcome)")
        #expect(text(place.checkout + "/apphome.xml")?.contains("<testsuite") == true)
        #expect(try names(place.checkout + "/build") == ["ran"] && place.leftovers == [])
    }

    /// The scripts of a section's examples: what is indented further below `run: |`, or a list's items below
    /// `script:`.
    private static func scripts() throws -> [(kind: String, text: String)] {
        let readme = try #require(text(FileManager.default.currentDirectoryPath + "/README.md"))
        let section = try #require(readme.split(separator: "\n## ").first { $0.hasPrefix("In CI\n") })
        var scripts: [(kind: String, text: String)] = []
        var depth: Int?
        for line in section.split(separator: "\n") {
            let indent = line.prefix { $0 == " " }.count
            let words = line.drop { $0 == " " }
            if let kind = ["run: |", "script:"].first(where: { words.hasSuffix($0) }) {
                scripts.append((kind, ""))
                depth = indent
            } else if let least = depth, indent > least {
                let isItem = scripts[scripts.count - 1].kind == "script:"
                scripts[scripts.count - 1].text += words.dropFirst(isItem ? 2 : 0) + "\n"
            } else {
                depth = nil
            }
        }
        return scripts
    }
}
