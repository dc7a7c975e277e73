import Foundation
import Testing

@Suite struct TidyTests {
    static let sources = Repository.files(below: "Sources") + Repository.files(below: "Tests")
    static let swiftFiles = sources.filter(\.isSwift)
    static let scripts = Repository.files(below: "mount-scripts") + Repository.files(below: "Tests/programs")

    @Test func `No file is over 400 lines`() {
        #expect(Self.swiftFiles.count > 10)
        // A document is read where a word is found; the guide has a line for each file or two, and the schema
        // some for each command.
        let files =
            Self.sources.filter { !$0.path.hasSuffix(".md") && !$0.path.hasSuffix(".schema.json") }
            + Self.scripts
        #expect(files.flatMap(HouseRules.longFiles) == [])
    }

    @Test func `No line of Swift or of a script is over 110 columns`() {
        // A request of roff has all its arguments on one line.
        let files = (Self.swiftFiles + Self.scripts).filter { !$0.path.hasSuffix(".1") }
        #expect(files.flatMap(HouseRules.longLines) == [])
    }

    @Test func `No function is over 70 lines`() {
        #expect(Self.swiftFiles.flatMap(HouseRules.longFunctions) == [])
    }

    @Test func `Nothing is left undone, and no product code ends the process`() {
        #expect((Self.sources + Self.scripts).flatMap(HouseRules.bannedWords) == [])
    }

    @Test func `No product code unwraps by force`() {
        #expect(Self.swiftFiles.flatMap(HouseRules.forcedUnwraps) == [])
    }

    @Test func `What the compiler takes on trust has its proof on the line above`() {
        #expect(Self.swiftFiles.flatMap(HouseRules.unprovenTrust) == [])
    }

    @Test func `Only the inodes' own room touches their records`() {
        #expect(Self.swiftFiles.count { $0.path.hasPrefix("Sources/HomeTree/Inodes/") } > 5)
        #expect(Self.swiftFiles.flatMap(HouseRules.touchedRecords) == [])
    }

    @Test func `Files that the kernel makes up are read whole`() {
        #expect(Self.swiftFiles.flatMap(HouseRules.truncatedReads) == [])
    }

    @Test func `Each command says its name`() {
        let files = Self.swiftFiles.filter { $0.path.hasPrefix("Sources/apphome/") }
        #expect(files.flatMap(HouseRules.namelessCommands) == [])
    }

    /// What it leaves out a default would answer, as a read-only file system does.
    @Test func `A view around a home answers every request`() throws {
        let declarations = try #require(
            TextFile(Repository.root.appending(path: "Sources/FuseKit/FileSystem.swift")))
        let wanted = declarations.lines.drop { !$0.hasPrefix("public protocol FileSystem") }
            .compactMap(HouseRules.requirement)
        let files = Self.swiftFiles.filter { $0.path.hasPrefix("Sources/SandboxFS/Versions/") }
        let answered = Set(files.flatMap(\.lines).compactMap(HouseRules.requirement))
        #expect(wanted.count > 30 && wanted.filter { !answered.contains($0) } == [])
    }

    @Test func `Each dependency says what it is for`() throws {
        let manifest = try #require(TextFile(Repository.root.appending(path: "Package.swift")))
        #expect(HouseRules.unexplainedDependencies(manifest) == [])
    }

    @Test func `Paths are split and compared byte by byte`() {
        #expect(Self.swiftFiles.flatMap(HouseRules.charactersOfPaths) == [])
    }

    @Test func `Rooms import only the rooms that their arrows lead to`() throws {
        #expect(Self.swiftFiles.flatMap(ImportArrows.forbidden) == [])
        let rooms = Set(try Repository.sourceFolders().filter { !$0.contains("/") })
        #expect(Set(ImportArrows.allowed.map(\.key)) == rooms)
    }

    @Test func `Sources/README.md names every folder of Sources`() throws {
        let guide = try String(
            contentsOf: Repository.root.appending(path: "Sources/README.md"), encoding: .utf8)
        let folders = try Repository.sourceFolders().map { ($0 as NSString).lastPathComponent }
        #expect(folders.filter { $0 != "include" && !guide.contains($0) } == [])
    }

    @Test func `Every test target's folder is in the manifest`() throws {
        let manifest = try String(
            contentsOf: Repository.root.appending(path: "Package.swift"), encoding: .utf8)
        let folders = Set(
            Self.swiftFiles.compactMap { file -> Substring? in
                let parts = file.path.split(separator: "/")
                return parts.first == "Tests" && parts.count > 2 ? parts[1] : nil
            })
        #expect(folders.filter { !manifest.contains("\($0)\"") } == [])
    }

    @Test func `Scripts can be run and stop at the first error`() throws {
        let runnable = Self.scripts.filter { $0.lines.first?.hasPrefix("#!") == true }
        #expect(runnable.count > 10)
        for script in runnable {
            #expect(script.lines.first == "#!/usr/bin/env bash", "\(script.path)")
            #expect(script.lines.contains("set -euo pipefail"), "\(script.path)")
            let path = Repository.root.appending(path: script.path).path
            #expect(FileManager.default.isExecutableFile(atPath: path), "\(script.path)")
        }
    }
}
