import CLinux
import Posix
import SystemPackage
import TestKit
import Testing

@testable import HomeTree

/// Notes what it is told.
private final class ToldCache: GuestCache {
    private let inodes = Lock<[InodeNumber]>([])
    var told: [InodeNumber] { inodes.withLock { $0 } }
    func forgetAttributes(of inode: InodeNumber) { inodes.withLock { $0.append(inode) } }
}

@Suite struct GuestCacheTests {
    @Test func attributesAreBelievedOnlyIfNothingWasToldSinceBeforeTheyWereRead() throws {
        let fixture = try TreeFixture()
        let (tree, guests) = (fixture.tree, fixture.tree.caches.guests)
        let file = try fixture.make("a").inode
        defer { tree.forget(file) }
        let cache = ToldCache()
        guests.add(cache)
        defer { guests.remove(cache) }
        tree.caches.tellGuests([file])
        #expect(cache.told == [], "nobody believes anything yet")
        let count = guests.toldCount
        #expect(tree.mayBelieveForAMoment(file, since: count))
        tree.caches.tellGuests([file, fixture.documents])
        #expect(cache.told == [file, fixture.documents])
        #expect(!tree.mayBelieveForAMoment(file, since: count))
        #expect(tree.mayBelieveForAMoment(file, since: guests.toldCount))
    }

    @Test func nothingIsBelievedOfAFileThatIsOpenForWriting() throws {
        let fixture = try TreeFixture()
        let (tree, guests) = (fixture.tree, fixture.tree.caches.guests)
        let (found, handle) = try fixture.create("a")
        defer { tree.forget(found.inode) }
        #expect(!tree.mayBelieveForAMoment(found.inode, since: guests.toldCount))
        tree.close(handle, of: found.inode)
        #expect(tree.mayBelieveForAMoment(found.inode, since: guests.toldCount))
    }

    @Test func whatTheDaemonChangesIsToldWithTheDirectory() throws {
        let fixture = try TreeFixture()
        let (tree, guests) = (fixture.tree, fixture.tree.caches.guests)
        let file = try fixture.make("a").inode
        defer { tree.forget(file) }
        let cache = ToldCache()
        guests.add(cache)
        defer { guests.remove(cache) }
        #expect(tree.mayBelieveForAMoment(file, since: guests.toldCount))
        let isRemoved = try "a".withFileName { (name) throws(Errno) in
            try tree.remove(name, in: fixture.documents) { _ in true }
        }
        #expect(isRemoved && Set(cache.told) == [file, fixture.documents])
    }
}
