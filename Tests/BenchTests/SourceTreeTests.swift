import Foundation
import Testing

@testable import apphome_bench

@Suite struct SourceTreeTests {
    /// The files of a tree by path, without git's.
    private func files(_ tree: SourceTree) throws -> [String: Data] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: tree.repository)
        var files: [String: Data] = [:]
        for name in names where name.hasSuffix(".c") && !name.hasPrefix(".git/") {
            files[name] = FileManager.default.contents(atPath: "\(tree.repository)/\(name)")
        }
        return files
    }

    @Test func `A seed gives the same files again, and no file holds the word that is looked for`() throws {
        let tree = try SourceTree(fileCount: 200, seed: 7)
        defer { tree.remove() }
        let again = try SourceTree(fileCount: 200, seed: 7)
        defer { again.remove() }
        let other = try SourceTree(fileCount: 200, seed: 8)
        defer { other.remove() }
        let files = try files(tree)
        #expect(files.count == 200)
        #expect(try self.files(again) == files)
        #expect(try self.files(other) != files)
        let word = Data(SourceTree.absentWord.utf8)
        #expect(files.values.allSatisfy { $0.range(of: word) == nil })
    }

    @Test func `Its folders lie in one another, and it is removed whole`() throws {
        #expect(SourceTree.directory(ofFile: 15) == "part0")
        #expect(SourceTree.directory(ofFile: 16) == "part1")
        #expect(SourceTree.directory(ofFile: 16 * 8) == "part1/part0")
        #expect(SourceTree.directory(ofFile: 16 * 64 + 16 * 9) == "part1/part1/part1")
        let tree = try SourceTree(fileCount: 1, seed: 1)
        #expect(FileManager.default.fileExists(atPath: tree.archive))
        tree.remove()
        let folder = (tree.archive as NSString).deletingLastPathComponent
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    @Test func `A program that ends otherwise than expected is an error`() throws {
        try Program.grep.run(["-q", "x", "/dev/null"], expecting: 1)
        #expect(throws: (any Error).self) { try Program.grep.run(["-q", "x", "/dev/null"]) }
    }
}
