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

/// A tree with one file, and a mount beside its main one that hears of changes.
private struct GuestFixture: ~Copyable {
    let fixture: TreeFixture
    let file: InodeNumber
    let cache = ToldCache()
    var tree: HomeTree { fixture.tree }
    var guests: GuestCaches { tree.caches.guests }

    init() throws {
        let fixture = try TreeFixture()
        file = try fixture.make("a").inode
        self.fixture = fixture
        guests.add(cache)
    }

    deinit {
        guests.remove(cache)
        tree.forget(file)
    }
}

@Suite struct GuestCacheTests {
    @Test func attributesAreBelievedOnlyIfNothingWasToldSinceBeforeTheyWereRead() throws {
        let guest = try GuestFixture()
        let (tree, guests, cache, file) = (guest.tree, guest.guests, guest.cache, guest.file)
        tree.caches.tellGuests([file])
        #expect(cache.told == [], "nobody believes anything yet")
        let count = guests.toldCount
        #expect(tree.mayBelieveForAMoment(file, since: count))
        tree.caches.tellGuests([file, guest.fixture.documents])
        #expect(cache.told == [file, guest.fixture.documents])
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
        let guest = try GuestFixture()
        let (tree, guests, cache, file) = (guest.tree, guest.guests, guest.cache, guest.file)
        #expect(tree.mayBelieveForAMoment(file, since: guests.toldCount))
        let isRemoved = try "a".withFileName { (name) throws(Errno) in
            try tree.remove(name, in: guest.fixture.documents) { _ in true }
        }
        #expect(isRemoved && Set(cache.told) == [file, guest.fixture.documents])
    }
}
