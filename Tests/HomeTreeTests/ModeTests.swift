import CLinux
import Posix
import SystemPackage
import TestKit
import Testing

@testable import HomeTree

@Suite struct ModeTableTests {
    private let inode = InodeNumber(rawValue: 7)

    @Test func theFirstOpenChoosesAndTheModeHoldsToTheLastRelease() {
        var table = ModeTable()
        #expect(table.enter(inode) { .cached } == .cached)
        #expect(table.enter(inode) { .passthrough(backing: 1) } == .cached)
        #expect(table.leave(inode) == nil)
        #expect(table.enter(inode) { .passthrough(backing: 1) } == .cached)
        #expect(table.leave(inode) == nil)
        #expect(table.leave(inode) == .cached)
        #expect(table.enter(inode) { .passthrough(backing: 2) } == .passthrough(backing: 2))
        #expect(table.enter(inode) { .direct } == .passthrough(backing: 2))
        #expect(table.leave(inode) == nil)
        #expect(table.leave(inode) == .passthrough(backing: 2))
        #expect(table.isEmpty)
    }

    @Test func inodesDoNotShareAMode() {
        var table = ModeTable()
        _ = table.enter(inode) { .direct }
        #expect(table.enter(InodeNumber(rawValue: 8)) { .cached } == .cached)
        #expect(table.leave(InodeNumber(rawValue: 9)) == nil)
    }
}

/// A kernel that has a certain number of backing files to give, and refuses more.
private final class ScarceKernel: PassthroughKernel {
    private let open = Lock<Set<Int32>>([])
    private let most: Int

    init(most: Int) { self.most = most }

    func openBacking(_ descriptor: Int32) -> Int32 {
        open.withLock { open in
            guard open.count < most else { return -Errno.noSpace.rawValue }
            let number = (open.max() ?? 0) + 1
            open.insert(number)
            return number
        }
    }

    func closeBacking(_ backing: Int32) { open.withLock { open in _ = open.remove(backing) } }
    func forgetAttributes(of inode: InodeNumber) {}
    var openCount: Int { open.withLock(\.count) }
}

@Suite struct ViewModesTests {
    private let write = lx_o_rdwr

    @Test func whereTheKernelRefusesABackingFileTheOpenIsAsWithoutPassthrough() throws {
        let fixture = try TreeFixture()
        let tree = fixture.tree
        for otherwise in [IOMode.cached, .direct] {
            let kernel = ScarceKernel(most: 1)
            let modes = ViewModes(tree: tree, otherwise: otherwise)
            try modes.start(kernel)
            let one = try fixture.make("one \(otherwise)").inode
            let other = try fixture.make("other \(otherwise)").inode
            let handles = [try tree.open(one, flags: write), try tree.open(other, flags: write)]
            #expect(modes.enter(one, handles[0], flags: write) == .passthrough(backing: 1))
            #expect(modes.enter(other, handles[1], flags: write) == otherwise)
            modes.leave(one)
            #expect(kernel.openCount == 0)
            // The other stays as it was opened, though there is a backing file to be had now.
            #expect(modes.enter(other, handles[1], flags: write) == otherwise)
            modes.leave(other)
            modes.leave(other)
            #expect(modes.enter(other, handles[1], flags: write) == .passthrough(backing: 1))
            modes.leave(other)
            tree.close(handles[0], of: one)
            tree.close(handles[1], of: other)
            tree.forget(one)
            tree.forget(other)
        }
    }

    @Test func oneInodeHasOneBackingFileUntilItsLastRelease() throws {
        let fixture = try TreeFixture()
        let kernel = ScarceKernel(most: 10)
        let modes = ViewModes(tree: fixture.tree, otherwise: .cached)
        try modes.start(kernel)
        let inode = try fixture.make("one").inode
        let handles = try (0..<3).map { _ in try fixture.tree.open(inode, flags: write) }
        for handle in handles {
            #expect(modes.enter(inode, handle, flags: write) == .passthrough(backing: 1))
        }
        for handle in handles {
            #expect(kernel.openCount == 1)
            modes.leave(inode)
            fixture.tree.close(handle, of: inode)
        }
        #expect(kernel.openCount == 0)
    }

    @Test func aKernelThatRefusesAtOnceIsNotUsed() throws {
        let fixture = try TreeFixture()
        let modes = ViewModes(tree: fixture.tree, otherwise: .cached)
        #expect(throws: PassthroughRefusal.backingFileRefused(.noSpace)) {
            try modes.start(ScarceKernel(most: 0))
        }
    }
}
