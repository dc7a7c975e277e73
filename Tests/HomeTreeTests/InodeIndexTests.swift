import Glibc
import Posix
import SystemPackage
import TestKit
import Testing

@testable import HomeTree

/// The index beside a dictionary: what comes, what goes and what is asked for, in any order.
@Suite struct InodeIndexTests {
    /// - Parameter hashes: few of them put many numbers behind one slot.
    @Test(arguments: [3, 40, 1 << 32]) func itFindsWhatADictionaryFinds(hashes: UInt64) {
        var generator = SeededRandom(seed: hashes)
        var index = InodeIndex()
        var expected: [UInt32: UInt32] = [:]
        for _ in 0..<20_000 {
            let number = UInt32.random(in: 0..<400, using: &generator)
            if let hash = expected[number] {
                index.remove(InodeNumber(rawValue: number), hash: hash)
                expected[number] = nil
            } else {
                let hash = UInt32(UInt64.random(in: 0..<hashes, using: &generator))
                index.insert(InodeNumber(rawValue: number), hash: hash)
                expected[number] = hash
            }
            let asked = UInt32.random(in: 0..<400, using: &generator)
            let found = index.first(expected[asked] ?? 0) { $0.rawValue == asked }
            #expect(found?.rawValue == (expected[asked] == nil ? nil : asked))
        }
        #expect(Set(index.all.map(\.rawValue)) == Set(expected.keys))
        // What is not there is not removed, nor anything in its place.
        index.remove(InodeNumber(rawValue: 1000), hash: 0)
        #expect(index.all.count == expected.count)
    }
}

@Suite struct NamesOfInodesTests {
    /// Somebody has put another file in a known one's place, past the tree.
    @Test func aNameLeadsToWhatWasFoundThereLast() throws {
        let fixture = try TreeFixture()
        let old = try fixture.make("a").inode
        let path = fixture.folder.path + "/data/Documents"
        try write("new", to: path + "/other")
        #expect(rename(path + "/other", path + "/a") == 0)
        let new = try fixture.lookup("a").inode
        #expect(old != new)
        try fixture.rename("a", to: "b")
        #expect(try fixture.lookup("b").inode == new)
        #expect(fixture.tree.checkInvariants() == [])
        try fixture.remove("b")
        for number in [old, new, new] { fixture.tree.forget(number) }
        #expect(fixture.tree.checkInvariants() == [])
    }

    @Test func anotherNameOfAnInodeIsMovedByItself() throws {
        let fixture = try TreeFixture()
        let file = try fixture.make("a").inode
        _ = try "b".withFileName { (name) throws(Errno) in
            try fixture.tree.link(file, as: name, in: fixture.documents)
        }
        try fixture.rename("b", to: "c")
        #expect(try fixture.lookup("a").inode == file)
        #expect(try fixture.lookup("c").inode == file)
        #expect(fixture.tree.checkInvariants() == [])
        for _ in 0..<4 { fixture.tree.forget(file) }
        #expect(fixture.tree.checkInvariants() == [])
    }
}
