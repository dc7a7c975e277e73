import Testing

@testable import posix_suite

@Suite("Texts")
struct TextTests {
    @Test("Contents show runs, bytes that do not print, and a hash where they are long")
    func contents() {
        #expect(Answer.contents(Array("abc".utf8)) == "'abc'")
        #expect(Answer.contents([0x61, 0, 0, 0, 0, 0x5C]) == #"'a\00*4 \\'"#)
        #expect(Answer.contents([0xFF]) == #"'\FF'"#)
        let long = (0..<200).map { UInt8($0 % 7) + 0x61 }
        #expect(Answer.contents(long).hasPrefix("200 bytes "))
        #expect(Answer.contents(long) != Answer.contents(long.reversed()))
    }

    @Test("Modes are four octal digits and errors have names")
    func modesAndErrors() {
        #expect(Answer.mode(0o100_044) == "0044")
        #expect(Answer.mode(0o6755) == "6755")
        #expect(Answer.name(2) == "ENOENT")
        #expect(Answer.name(9999) == "errno 9999")
    }

    @Test("A path's %FF is one byte, and a listed name shows it again")
    func names() {
        #expect(Name.bytes("a%FFb") == [0x61, 0xFF, 0x62, 0])
        #expect(Name.bytes("100%") == Array("100%".utf8) + [0])
        #expect(Name.text([0x61, 0xFF, 0x20]) == "a%FF%20")
    }
}

@Suite("The command line")
struct OptionsTests {
    @Test("Commands and options are taken in any order")
    func parses() throws {
        let options = try Options(["--json", "compare", "a", "--only", "rename/", "b", "--plain"])
        #expect(options.command == .compare(control: "a", mount: "b"))
        #expect(options.json && options.plain && options.selects("rename/x") && !options.selects("link/x"))
    }

    @Test("A pattern with a star is matched whole")
    func patterns() throws {
        let options = try Options(["list", "--only", "times/*write*"])
        #expect(options.selects("times/a write b") && !options.selects("more times/write"))
    }

    @Test(
        "What is not understood is refused",
        arguments: [
            [], ["run"], ["run", "a", "b"], ["compare", "a"], ["dance"], ["run", "a", "--fast"],
            ["run", "a", "--only"],
            ["run", "a", "--deadline", "0"], ["run", "a", "--deadline", "x"],
        ])
    func refuses(arguments: [String]) {
        #expect(throws: Options.Refusal.self) { try Options(arguments) }
    }
}
