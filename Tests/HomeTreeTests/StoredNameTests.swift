import CLinux
import Posix
import SystemPackage
import TestKit
import Testing

@testable import HomeTree

/// Names of every length in the record of an inode: those that fit lie in it, others beside it.
@Suite struct StoredNameTests {
    @Test func namesOfEveryLengthAreKeptAndReplaced() throws {
        var slab = InodeSlab()
        defer { slab.deallocate() }
        let number = slab.insert(stat())
        let inode = slab[number]
        #expect(inode.name == nil)
        for length in [1, 22, 23, 24, 255, 23, 24, 1] {
            let text = String(repeating: "n", count: length)
            text.withFileName { inode.setName($0) }
            let name = try #require(inode.name.map { FileName($0) })
            #expect(name.text == text)
            let isInside = UInt(bitPattern: name.cString) == UInt(bitPattern: inode)
            #expect(isInside == (length <= StoredName.longestInside))
            // Its own name, given again.
            inode.setName(name)
            #expect(inode.name.map { FileName($0).text } == text)
        }
        inode.clearName()
        #expect(inode.name == nil)
    }

    @Test func aRecordWithAShortNameTakesLessThanAHundredBytes() {
        var slab = InodeSlab()
        defer { slab.deallocate() }
        let number = slab.insert(stat())
        let inode = slab[number]
        #expect(MemoryLayout.stride(ofValue: inode.pointee) <= 96)
    }
}
