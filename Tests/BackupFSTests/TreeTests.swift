import Backup
import TestKit
import Testing

@testable import BackupFS

/// What directories show of the items of several domains.
@Suite struct TreeTests {
    private let missing = ItemFacts(directoryAt: 0)

    private func file(_ sizeBytes: Int64 = 1) -> ItemFacts {
        var facts = missing
        facts.makeFile()
        facts.sizeBytes = sizeBytes
        return facts
    }

    private func directory(at seconds: Int64) -> ItemFacts { ItemFacts(directoryAt: seconds) }

    private func add(
        _ items: [(String, ItemFacts)], of domain: String, at place: BackupTree.Number = BackupTree.root,
        to tree: inout BackupTree
    ) {
        var batch = ItemBatch()
        for (path, facts) in items { batch.add(path, facts) }
        tree.add(batch, of: domain, at: place, missing: missing) { _ in Issue.record("lost") }
    }

    /// All paths, directories with a `/` behind, in the order of the listings.
    private func paths(_ tree: BackupTree, below number: BackupTree.Number = BackupTree.root) -> [String] {
        tree.children(of: number).flatMap { child in
            let name = tree.name(of: child)
            return tree.isDirectory(child)
                ? [name + "/"] + paths(tree, below: child).map { "\(name)/\($0)" } : [name]
        }
    }

    @Test func itemsComeInTheOrderOfTheirNamesWhateverTheirOrderInTheList() {
        var tree = BackupTree(root: missing)
        add(
            [("b/c", file()), ("b", directory(at: 1)), ("b.txt", file()), ("a/x/y", file()), ("b!", file())],
            of: "A", to: &tree)
        #expect(paths(tree) == ["a/", "a/x/", "a/x/y", "b/", "b/c", "b!", "b.txt"])
        add([("b/b", file()), ("b/d", file()), ("aa", file())], of: "A", to: &tree)
        #expect(
            paths(tree)
                == ["a/", "a/x/", "a/x/y", "aa", "b/", "b/b", "b/c", "b/d", "b!", "b.txt"])
        for (path, isThere) in [("aa", true), ("ab", false), ("b", true), ("b.txt", true), ("c", false)] {
            let found = Array(path.utf8).withUnsafeBytes { tree.child($0, of: BackupTree.root) }
            #expect((found != nil) == isThere, "\(path)")
        }
    }

    @Test func theRecordOfTheFirstDomainCountsForADirectory() throws {
        var tree = BackupTree(root: missing)
        var (first, second) = (directory(at: 1), directory(at: 2))
        first.identifier = FileIdentifier(domain: "A", path: "d")
        second.identifier = FileIdentifier(domain: "B", path: "d")
        add([("d/in", file())], of: "A", to: &tree)
        // So far the backup had nothing of the directory itself.
        let number = try #require(tree.children(of: BackupTree.root).first)
        #expect(tree[number].modified == 0)
        add([("d", first)], of: "A", to: &tree)
        #expect(tree[number].modified == 1)
        add([("d", second)], of: "B", to: &tree)
        #expect(tree[number].modified == 1)
    }

    @Test func twoFilesOfOneNameAreBothShown() {
        var tree = BackupTree(root: missing)
        add([("a", file(1)), ("d/a", file(2))], of: "HomeDomain", to: &tree)
        add([("a", file(3)), ("d/a", file(4)), ("d", directory(at: 1))], of: "MediaDomain", to: &tree)
        add([("a", file(5)), ("a~MediaDomain", file(6))], of: "MediaDomain", to: &tree)
        #expect(
            paths(tree) == [
                "a", "a~MediaDomain", "a~MediaDomain~2", "a~MediaDomain~MediaDomain", "d/", "d/a",
                "d/a~MediaDomain",
            ])
    }

    @Test func aFileInTheWayOfADirectoryGetsAnotherName() {
        var tree = BackupTree(root: missing)
        add([("a", file()), ("a/b", file()), ("c", file())], of: "A", to: &tree)
        #expect(paths(tree) == ["a/", "a/b", "a~file", "c"])
        add([("c/d", file()), ("a", file())], of: "B", to: &tree)
        #expect(paths(tree) == ["a/", "a/b", "a~file", "a~file~2", "c/", "c/d", "c~file"])
    }

    /// More than one batch, in the order in which a hash has them.
    @Test func aLargeDirectoryIsFoundWholeAndSorted() {
        var tree = BackupTree(root: missing)
        let names = (0..<20_000).map { "item \($0 * 7919 % 20_000)" }
        for part in stride(from: 0, to: names.count, by: 3_000) {
            add(names[part..<min(part + 3_000, names.count)].map { ("d/\($0)", file()) }, of: "A", to: &tree)
        }
        let found = paths(tree)
        #expect(found.count == 20_001 && Array(found.dropFirst()) == names.sorted().map { "d/\($0)" })
    }

    /// Whatever the domains say: each item is found once, under a name of its own.
    @Test func nothingIsLostAndNoNameIsThereTwice() {
        for seed in UInt64(1)...300 {
            var random = SeededRandom(seed: seed)
            var tree = BackupTree(root: missing)
            var files = 0
            for domain in ["A", "B", "A"] {
                var items: [(String, ItemFacts)] = []
                for _ in 0..<Int.random(in: 1...30, using: &random) {
                    let names = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                        ["a", "b", "a~B", "a~file", "b~A"].randomElement(using: &random) ?? "a"
                    }
                    let isDirectory = Bool.random(using: &random)
                    if !isDirectory { files += 1 }
                    items.append((names.joined(separator: "/"), isDirectory ? directory(at: 1) : file()))
                }
                add(items, of: domain, to: &tree)
            }
            let paths = paths(tree)
            #expect(Set(paths).count == paths.count, "seed \(seed)")
            #expect(paths.filter { !$0.hasSuffix("/") }.count == files, "seed \(seed)")
            #expect(isSortedAndFound(tree, BackupTree.root), "seed \(seed)")
        }
    }

    private func isSortedAndFound(_ tree: BackupTree, _ number: BackupTree.Number) -> Bool {
        let children = tree.children(of: number)
        let names = children.map { Array(tree.name(of: $0).utf8) }
        let isSorted = zip(names, names.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) }
        return isSorted
            && zip(children, names).allSatisfy { child, name in
                name.withUnsafeBytes { tree.child($0, of: number) } == child
                    && tree.parent(of: child) == number
                    && isSortedAndFound(tree, child)
            }
    }

    /// Paths of many parts, of which the backup has no row each.
    @Test func aSmallBackupMakesNoLargeTree() {
        var tree = BackupTree(root: missing)
        var lost = 0
        for first in 0..<500 {
            var batch = ItemBatch()
            batch.add("\(first)/" + Array(repeating: "d", count: 500).joined(separator: "/"), file())
            tree.add(batch, of: "A", at: BackupTree.root, missing: missing) { _ in lost += 1 }
        }
        #expect(tree.count < 110_000 && lost > 250)
    }
}
