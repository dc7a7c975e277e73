import Posix
import SystemPackage
import TestKit
import Testing

@testable import HomeTree

/// What gathers while nobody takes it, because sync is paused.
@Suite struct ChangeFeedBoundTests {
    private final class Listener: ChangeListener {
        func changesCame() {}
    }

    @Test func filesThatComeAndGoLeaveNoMoreThanTheBound() throws {
        let fixture = try TreeFixture()
        try fixture.tree.watchChanges(Listener(), mostNames: 100)
        defer { fixture.tree.stopWatchingChanges() }
        for index in 0..<10_000 {
            let (found, handle) = try fixture.create("\(index)")
            fixture.tree.close(handle, of: found.inode)
            try fixture.remove("\(index)")
            fixture.tree.forget(found.inode)
        }
        let gathered = try #require(fixture.tree.tables.withLock { $0.feed?.gathered })
        #expect(gathered.items.count <= 200)
        #expect(gathered.names.count <= 100 && gathered.whole == [fixture.documents])
        #expect(fixture.tree.takeChanges().whole == [[]])
    }

    @Test func ofTooManyDirectoriesAllOfDocumentsIsToBeCompared() throws {
        let fixture = try TreeFixture()
        let before = fixture.tree.liveInodeCount
        try fixture.tree.watchChanges(Listener(), mostNames: 100)
        for index in 0..<300 {
            let directory = try fixture.makeDirectory("\(index)").inode
            for name in 0..<3 {
                let made = try fixture.make("\(name)", in: directory)
                try fixture.remove("\(name)", in: directory)
                fixture.tree.forget(made.inode)
            }
            fixture.tree.forget(directory)
        }
        let gathered = try #require(fixture.tree.tables.withLock { $0.feed?.gathered })
        #expect(gathered.isEverything && gathered.whole.count <= 200 && gathered.names.count <= 100)
        #expect(fixture.tree.takeChanges().whole.contains([]))
        #expect(fixture.tree.takeChanges().whole == [])
        fixture.tree.stopWatchingChanges()
        #expect(fixture.tree.liveInodeCount == before)
    }
}
