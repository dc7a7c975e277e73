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
    /// Past the tree, as whoever owns the device may.
    @Test func anInodeInWhosePlaceAnotherIsHasNoNameUntilItIsFoundAgain() throws {
        let fixture = try TreeFixture()
        let path = fixture.folder.path + "/data/Documents"
        let old = try fixture.make("a").inode
        try write("new", to: path + "/aside")
        #expect(exchange(path + "/aside", path + "/a") == nil)
        let new = try fixture.lookup("a").inode
        #expect(old != new)
        #expect(throws: Errno.staleHandle) { try fixture.tree.attributes(of: old) }
        #expect(exchange(path + "/aside", path + "/a") == nil)
        #expect(try fixture.lookup("a").inode == old)
        try fixture.rename("a", to: "b")
        #expect(try fixture.tree.attributes(of: old).st_size == 0)
        #expect(throws: Errno.staleHandle) { try fixture.tree.attributes(of: new) }
        for number in [old, old, new] { fixture.tree.forget(number) }
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
    }
}
