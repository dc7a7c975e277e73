import CloudStore
import Posix
import Testing

@testable import CloudSync

/// A round that ends in its middle, because no more fits on the disk.
@Suite(.timeLimit(.minutes(2))) struct FullDiskTests {
    /// What an app made in it was noted under the directory's old name.
    @Test func whatLiesInADirectoryThatWasMovedBeforeIsToldUnderItsNewName() async throws {
        let clock = ContentFixture.Clock()
        let store = LogFixture.store(clock)
        let executor = try EngineThread(yields: false)
        let one = await EngineDevice(store, clock, executor, seed: 1)
        let two = await EngineDevice(store, clock, executor, seed: 2)
        one.disk.makeDirectory("d")
        one.disk.write("x", to: "d/x")
        #expect(await convergeAll([one, two]) < 50)
        one.disk.rename("d", to: "e")
        one.disk.write("y", to: "e/y")
        #expect(await one.sync().isUpToDate)
        two.disk.write("mine", to: "d/new")
        two.disk.isFull = true
        #expect(await !two.sync().isUpToDate)
        #expect(two.disk.contents == ["e": "/", "e/x": "x", "e/new": "mine"])
        two.disk.isFull = false
        #expect(await convergeAll([one, two]) < 50)
        #expect(one.disk.contents == ["e": "/", "e/x": "x", "e/y": "y", "e/new": "mine"])
        #expect(two.disk.contents == one.disk.contents)
    }
}
