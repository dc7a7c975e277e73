import CLinux
import Glibc
import Posix
import SystemPackage
import TestKit
import Testing

@testable import HomeTree

@Suite struct DescriptorLifeTests {
    @Test func aCallThatUsesAHandleOfAnUnlinkedFileKeepsItOpen() throws {
        let fixture = try TreeFixture()
        let (found, first) = try fixture.create("a")
        let second = try fixture.tree.open(found.inode, flags: lx_o_rdwr)
        try fixture.remove("a")
        let tree = fixture.tree
        try tree.inodes.withInode(found.inode) { (descriptor, _) throws(Errno) in
            tree.close(first, of: found.inode)
            tree.close(second, of: found.inode)
            var status = stat()
            try valueOrErrno(lx_fstat(descriptor, &status))
            #expect(status.st_ino == found.status.st_ino)
        }
        fixture.tree.forget(found.inode)
        #expect(tree.liveInodeCount == 3)
    }

    @Test func anUnlinkedFileKeepsItsDescriptorWhileOthersCanGo() throws {
        let fixture = try TreeFixture(cachedDescriptors: 16)
        let found = try fixture.make("a")
        try fixture.remove("a")
        for index in 0..<100 {
            let made = try fixture.makeDirectory("d\(index)")
            _ = try fixture.lookup("nothing", in: made.inode, absentIsFine: true)
        }
        #expect(try fixture.tree.attributes(of: found.inode).st_nlink == 0)
        fixture.tree.forget(found.inode)
    }

    /// One app that looks at everything does not push out what the others use, nor live on their idle ones.
    @Test func aTreeThatNeedsRoomTakesItWhereNothingWasUsedForLongest() throws {
        let budget = DescriptorBudget(handleLimit: 10, cachedLimit: 64)
        let idle = try TreeFixture(budget: budget)
        for index in 0..<60 { _ = try idle.cachedDirectory("idle\(index)") }
        let busy = try TreeFixture(budget: budget)
        let used = try busy.cachedDirectory("used")
        for index in 0..<60 {
            _ = try busy.cachedDirectory("busy\(index)")
            _ = try busy.tree.names(in: used)
        }
        #expect(!budget.isOverCached)
        #expect(idle.tree.cachedDescriptorCount < 20)
        #expect(busy.tree.cachedDescriptorCount > 40)
    }

    @Test func aTreeThatOpensAllItCanLeavesTheOthersTheirs() throws {
        let budget = DescriptorBudget(handleLimit: 40, cachedLimit: 64)
        let greedy = try TreeFixture(budget: budget)
        let modest = try TreeFixture(budget: budget)
        func openAll(_ fixture: borrowing TreeFixture) -> [DirectoryReader] {
            var readers: [DirectoryReader] = []
            while let reader = try? fixture.tree.openDirectory(fixture.documents) { readers.append(reader) }
            return readers
        }
        var taken = openAll(greedy)
        #expect(taken.count == 20)
        let found = try modest.make("a")
        #expect(openAll(modest).count == 10)
        taken = []
        #expect(openAll(modest).count == 20)
        modest.tree.forget(found.inode)
    }

    @Test func whatIsForgottenTwiceIsGoneOnce() throws {
        var cache = DescriptorCache()
        var slab = InodeSlab()
        defer { slab.deallocate() }
        let numbers = (0..<3).map { _ in slab.insert(stat()) }
        for number in numbers { cache.add(number, to: slab) }
        cache.remove(numbers[0], from: slab)
        cache.remove(numbers[0], from: slab)
        cache.remove(numbers[2], from: slab)
        #expect(cache.count == 1)
        cache.remove(numbers[1], from: slab)
        #expect(cache.count == 0)
    }

    /// In this thread's own CPU time: to look for each among those that are left takes 10^10 steps.
    @Test func forgettingOneOf200000DescriptorsIsNoSearch() throws {
        var cache = DescriptorCache()
        var slab = InodeSlab()
        defer { slab.deallocate() }
        let numbers = (0..<200_000).map { _ in slab.insert(stat()) }
        for number in numbers { cache.add(number, to: slab) }
        // In no order: a search would be short from one end or the other.
        var random = SeededRandom(seed: 1)
        let shuffled = numbers.shuffled(using: &random)
        let start = ownNanoseconds()
        for number in shuffled where ownNanoseconds() - start < 1_000_000_000 {
            cache.remove(number, from: slab)
        }
        #expect(cache.count == 0)
    }

    @Test func anEndedTreeGivesItsShareOfDescriptorsBack() throws {
        let budget = DescriptorBudget(handleLimit: 10, cachedLimit: 4)
        for _ in 0..<3 {
            let folder = try TemporaryFolder()
            let container = try folder.directory("data")
            try folder.directory("data/one")
            let tree = try HomeTree(
                container: Descriptor(container, flags: lx_o_path | lx_o_directory),
                staging: Descriptor(try folder.directory("staging"), flags: lx_o_directory), budget: budget)
            try "one".withFileName { (name) throws(Errno) in
                let found = try tree.lookup(name, in: tree.home)
                _ = try tree.names(in: found.inode)
            }
            try "two".withFileName { (name) throws(Errno) in
                let owner = Owner(uid: Process.effectiveUserID, gid: Process.effectiveGroupID)
                let made = try tree.makeDirectory(name, in: tree.home, mode: 0o755, owner: owner)
                _ = try tree.names(in: made.inode)
            }
        }
        #expect(!budget.isOverCached)
    }
}

/// How long this thread has run.
private func ownNanoseconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

extension TreeFixture {
    /// A directory that has a descriptor of its own, as one that was listed.
    fileprivate func cachedDirectory(_ name: String) throws -> InodeNumber {
        let made = try makeDirectory(name).inode
        _ = try tree.names(in: made)
        return made
    }
}

extension HomeTree {
    fileprivate var cachedDescriptorCount: Int { tables.withLock { $0.cache.count } }
}
