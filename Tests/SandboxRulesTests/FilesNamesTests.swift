import Testing

@testable import SandboxRules

@Suite struct FilesNamesTests {
    @Test(arguments: [
        ("Notes", "Notes"), ("a/b", "a:b"), (".hidden", "_hidden"), ("", "_"), ("..", "_."), ("/", ":"),
        ("a\0b", "a_b"), ("é.txt", "é.txt"),
    ])
    func aDisplayNameIsAFileName(_ displayName: String, _ name: String) {
        #expect(names([displayName]) == [name])
    }

    @Test func aTakenNameGetsTheFirstNumberThatIsFree() {
        #expect(
            names(["Notes", "Notes 2", "Notes", "Notes", "Notes 2"]) == [
                "Notes", "Notes 2", "Notes 3", "Notes 4", "Notes 2 2",
            ])
    }

    @Test func noNameIsTooLongForADisk() {
        let long = String(repeating: "ü", count: 300)
        let given = names([String](repeating: long, count: 12))
        #expect(given[0].utf8.count == 254 && given[1].hasSuffix(" 2") && given[11].hasSuffix("ü 12"))
        #expect(given.allSatisfy { $0.utf8.count <= 255 } && Set(given).count == 12)
    }

    @Test func veryManyAppsOfOneNameAreNumberedInTheirOrder() {
        let given = names([String](repeating: "Notes", count: 20_000))
        #expect(given[9] == "Notes 10" && given.last == "Notes 20000")
        // Names that become the same where they are shortened.
        let long = String(repeating: "n", count: 254)
        let twins = (0..<2_000).map { long + String(UnicodeScalar(UInt8(ascii: "0") + UInt8($0 % 64))) }
        #expect(Set(names(twins)).count == 2_000)
    }

    private func names(_ displayNames: [String]) -> [String] {
        var names = FilesNames()
        return displayNames.map { names.name(for: $0) }
    }
}
