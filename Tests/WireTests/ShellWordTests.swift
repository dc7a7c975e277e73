import Glibc
import Posix
import Testing

@testable import Wire

@Suite struct ShellWordTests {
    @Test(arguments: ["a b", "it's", "'\u{301}; echo broken '\u{301}", "", "$(x) `y` \\\n", "é"])
    func aShellReadsBackTheWord(word: String) throws {
        let pipe = popen("printf %s \(shellQuoted(word))", "r")
        defer { pclose(pipe) }
        var bytes: [UInt8] = []
        while let pipe, case let byte = fgetc(pipe), byte != EOF { bytes.append(UInt8(byte)) }
        #expect(bytes == Array(word.utf8))
    }

    @Test func aCombiningMarkHidesNoSlash() {
        let path = "L/\u{301}evil"
        #expect(path.hasSlash)
        #expect(path.pathParts.map { Array($0.utf8) } == [Array("L".utf8), Array("\u{301}evil".utf8)])
        #expect(path.directoryAndName.directory == "L")
        #expect(Array(path.directoryAndName.name.utf8) == Array("\u{301}evil".utf8))
        #expect("/\u{301}".isAbsolutePath)
        #expect(path.isPath(in: "L"))
        #expect(!"/ab".isPath(in: "/a"))
        #expect("/ab".isPath(in: "/"))
        #expect("name".directoryAndName.directory == nil)
        #expect("/name".directoryAndName.directory == "")
    }
}
