import Testing

/// A rule that finds nothing is only worth something if it can find.
@Suite struct HouseRulesTests {
    private func product(_ text: String) -> TextFile { TextFile(path: "Sources/A/A.swift", text: text) }

    @Test func `A function of 71 lines is found, one of 70 is not`() {
        func function(lineCount: Int) -> TextFile {
            let body = String(repeating: "        call()\n", count: lineCount - 2)
            return product("struct A {\n    public mutating func run() {\n\(body)    }\n}\n")
        }
        #expect(HouseRules.longFunctions(function(lineCount: 71)).count == 1)
        #expect(HouseRules.longFunctions(function(lineCount: 70)) == [])
    }

    @Test func `A protocol's requirement is no function of what follows it`() {
        let requirement = "protocol A {\n    func run(\n        a: Int) throws\n"
        let rest = String(repeating: "    var a: Int { get }\n", count: 80)
        #expect(HouseRules.longFunctions(product(requirement + rest + "    }\n}")) == [])
    }

    @Test func `A file of 401 lines is found, one of 400 is not`() {
        #expect(HouseRules.longFiles(product(String(repeating: "a\n", count: 401))).count == 1)
        #expect(HouseRules.longFiles(product(String(repeating: "a\n", count: 400))) == [])
    }

    @Test func `A line of 111 columns is found, one of 110 is not`() {
        #expect(HouseRules.longLines(product(String(repeating: "é", count: 111))).count == 1)
        #expect(HouseRules.longLines(product(String(repeating: "é", count: 110))) == [])
    }

    @Test func `A command without its name is found`() {
        #expect(HouseRules.namelessCommands(product("struct A: ParsableCommand {")).count == 1)
        let named = product("struct A: ParsableCommand {\ncommandName: \"a\"")
        #expect(HouseRules.namelessCommands(named) == [])
    }

    @Test(arguments: ["let a = b!", "return call()!", "items[0]!.run()", "var a: Int!"])
    func `A forced unwrap is found`(line: String) {
        #expect(HouseRules.forcedUnwraps(product(line)).count == 1)
    }

    @Test(arguments: ["if a != b {", "if !isOpen {", "print(\"Hello!\")", "// Beware!", "a = !b"])
    func `What looks like a forced unwrap is not`(line: String) {
        #expect(HouseRules.forcedUnwraps(product(line)) == [])
    }

    @Test func `Characters of a path are compared by PathText only`() {
        #expect(HouseRules.charactersOfPaths(product("if name.contains(\"/\") {")).count == 1)
        #expect(HouseRules.charactersOfPaths(product("path.split(separator: \"/\")")).count == 1)
        #expect(HouseRules.charactersOfPaths(product("if name.hasSlash {")) == [])
    }

    @Test func `An end of the process is found in the product only`() {
        let text = "let a = try" + "! call()"
        #expect(HouseRules.bannedWords(product(text)).count == 1)
        #expect(HouseRules.bannedWords(TextFile(path: "Tests/A.swift", text: text)) == [])
    }

    @Test func `Trust needs a comment above it`() {
        let declaration = "final class A: @unchecked " + "Sendable {}"
        #expect(HouseRules.unprovenTrust(product(declaration)).count == 1)
        #expect(HouseRules.unprovenTrust(product("// Unchecked: constant.\n" + declaration)) == [])
        #expect(HouseRules.unprovenTrust(product("// Unchecked: constant.\n@frozen\n" + declaration)) == [])
    }

    @Test func `A kernel's file that Foundation reads is found, others are not`() {
        let call = "FileManager.default.contents(" + "atPath: "
        #expect(HouseRules.truncatedReads(product(call + "\"/proc/self/mountinfo\")")).count == 1)
        #expect(HouseRules.truncatedReads(product(call + "\"/etc/passwd\")")) == [])
    }

    @Test(arguments: [
        "let parent = slab[number].pointee.parent", "inode.pointee.pins += 1", "tables.slab.remove(number)",
        "var records = InodeSlab()",
    ])
    func `A record that is touched outside Inodes is found`(line: String) {
        func found(_ path: String) -> [String] {
            HouseRules.touchedRecords(TextFile(path: path, text: "struct A {\n" + line))
        }
        #expect(
            found("Sources/HomeTree/HomeTree+Open.swift")
                == ["Sources/HomeTree/HomeTree+Open.swift:2: touches an inode's record"])
        #expect(found("Sources/HomeTree/Modes/ModeTable.swift").count == 1)
        #expect(found("Sources/HomeTree/Inodes/InodeTable.swift") == [])
        #expect(found("Sources/Device/Device.swift") == [])
    }

    @Test(arguments: ["if name.pointee == 0 {", "// The slab is none of ours.", "let text = \".pointee.\""])
    func `What looks like a record is none`(line: String) {
        #expect(HouseRules.touchedRecords(TextFile(path: "Sources/HomeTree/A.swift", text: line)) == [])
    }

    @Test func `A dependency without a comment is found`() {
        let bare = "dependencies: [\n    .package(url: \"a\")"
        #expect(HouseRules.unexplainedDependencies(TextFile(path: "Package.swift", text: bare)).count == 1)
    }

    @Test(arguments: [
        "import CloudSync", "internal import CloudSync", "public import struct CloudSync.DeviceID",
        "@testable import CloudSync",
    ])
    func `An import against the arrows is found`(line: String) {
        let wire = TextFile(path: "Sources/Wire/A.swift", text: "internal import Posix\n" + line)
        #expect(ImportArrows.forbidden(wire) == ["Sources/Wire/A.swift:2: Wire imports CloudSync"])
        let server = TextFile(path: "Sources/DeviceServer/A.swift", text: line)
        #expect(ImportArrows.forbidden(server) == [])
    }

    @Test func `What is no room may be imported, and words of comments are no imports`() {
        let text = "internal import Glibc\n// An import CloudSync would be found.\nlet important = 1"
        #expect(ImportArrows.forbidden(TextFile(path: "Sources/Wire/A.swift", text: text)) == [])
    }

    @Test func `The daemon is entered by two commands alone`() {
        func command(_ name: String) -> TextFile {
            TextFile(path: "Sources/apphome/Commands/\(name).swift", text: "internal import DeviceServer")
        }
        #expect(ImportArrows.forbidden(command("ListCommand")).count == 1)
        #expect(ImportArrows.forbidden(command("Foreground")) == [])
    }

    @Test func `A room without arrows is found, and no arrow leads back`() {
        #expect(ImportArrows.forbidden(TextFile(path: "Sources/New/A.swift", text: "")).count == 1)
        #expect(ImportArrows.backward == [])
    }
}
