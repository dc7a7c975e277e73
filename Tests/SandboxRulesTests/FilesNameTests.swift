import Testing

@testable import SandboxRules

@Suite struct FilesNameTests {
    @Test(arguments: [
        ("Notes", "Notes"), ("a/b", "a:b"), (".hidden", "_hidden"), ("", "_"), ("..", "_."), ("/", ":"),
        ("a\0b", "a_b"), ("é.txt", "é.txt"),
    ])
    func aDisplayNameIsAFileName(_ displayName: String, _ name: String) {
        #expect(FilesName.first(for: displayName) { _ in true } == name)
    }

    @Test func aTakenNameGetsTheFirstNumberThatIsFree() {
        let taken = ["Notes", "Notes 2"]
        #expect(FilesName.first(for: "Notes") { !taken.contains($0) } == "Notes 3")
    }

    @Test func noNameIsTooLongForADisk() {
        let long = String(repeating: "ü", count: 300)
        let first = FilesName.first(for: long) { _ in true }
        let second = FilesName.first(for: long) { $0 != first }
        #expect(first.utf8.count == 254 && second.utf8.count <= 255 && second.hasSuffix(" 2"))
    }
}
