import CloudStore
import Posix
import StoreBasics
import Testing

@testable import CloudSync
@testable import SyncContent
@testable import SyncLog

/// `cloud restore`: what was deleted, and what documents had.
@Suite(.timeLimit(.minutes(2))) struct RestorationTests {
    let clock = ContentFixture.Clock()
    let executor: EngineThread
    let store: SpoiledStore

    init() throws {
        executor = try EngineThread(yields: false)
        store = SpoiledStore(LogFixture.store(clock))
    }

    @Test func aDeletedDirectoryComesBackWithAllThatWasDeletedWithIt() async throws {
        let one = await EngineDevice(store, clock, executor, seed: 1)
        let two = await EngineDevice(store, clock, executor, seed: 2)
        for directory in ["d", "d/empty", "d/sub"] { one.disk.makeDirectory(LocalPath(directory)) }
        one.disk.setMode(0o750, "d/empty")
        one.disk.write("a", to: "d/a")
        one.disk.write("before", to: "d/sub/b")
        one.disk.setTime(5_000_000_000, "d/a")
        one.disk.link("a", at: "d/link")
        for name in ["d/early", "d/flagged", "d/twice"] { one.disk.write(name, to: LocalPath(name)) }
        #expect(await convergeAll([one, two]) < 50)
        one.disk.setFlag(true, "d/flagged")
        one.disk.delete("d/early")
        one.disk.delete("d/twice")
        one.disk.write("b", to: "d/sub/b")
        #expect(await convergeAll([one, two]) < 50)
        one.disk.delete("d/flagged")
        two.disk.delete("d/flagged")
        clock.advance(days: 1 / 24)
        one.disk.write("again", to: "d/twice")
        #expect(await convergeAll([one, two]) < 50)
        let before = one.disk.contents
        for path in ["d/a", "d/link", "d/twice", "d/empty", "d/sub/b", "d/sub", "d"] {
            one.disk.delete(LocalPath(path))
            // A large one takes many commits.
            clock.advance(days: 300 / 86_400)
            #expect(await convergeAll([one, two]) < 50)
        }
        #expect(one.disk.contents == [:])
        clock.advance(days: 20)
        _ = try await two.engine.collect()
        let outcome = try await two.engine.restore(EngineDevice.app, [target("d", on: two)])
        #expect(await convergeAll([one, two]) < 50)
        #expect(one.disk.contents == before && two.disk.contents == before)
        for device in [one, two] {
            #expect(device.disk.find("d/empty")?.mode == 0o750)
            #expect(device.disk.find("d/a")?.fingerprint.modified == 5_000_000_000)
        }
        var expected = RestorationOutcome()
        expected.items = 7
        expected.withdrawn = ["d/flagged"]
        (expected.earlier, expected.earlierAt) = (2, outcome.earlierAt)
        #expect(outcome == expected)
        #expect(try await two.engine.check(sample: 100).damaged.isEmpty)
    }

    @Test func aVersionComesBackUntilItsTimeIsOver() async throws {
        let one = await EngineDevice(store, clock, executor, seed: 1)
        let two = await EngineDevice(store, clock, executor, seed: 2)
        one.disk.write("first", to: "a")
        one.disk.write("gone", to: "b")
        #expect(await convergeAll([one, two]) < 50)
        let first = try target("a", on: one, isCurrent: true)
        one.disk.write("second", to: "a")
        one.disk.delete("b")
        #expect(await convergeAll([one, two]) < 50)
        let second = try target("a", on: one, isCurrent: true)
        clock.advance(days: 29)
        _ = try await two.engine.collect()
        #expect(try await two.engine.restore(EngineDevice.app, [first]).items == 1)
        #expect(try await two.engine.restore(EngineDevice.app, [target("b", on: two)]).items == 1)
        #expect(await convergeAll([one, two]) < 50)
        #expect(one.disk.contents == ["a": "first", "b": "gone"] && two.disk.contents == one.disk.contents)
        // Nobody relies on what a collector was about to take.
        for _ in 0..<3 {
            clock.advance(days: 8)
            _ = try await one.engine.collect()
        }
        #expect(try await one.engine.check(sample: 100).damaged.isEmpty)
        one.disk.delete("a")
        #expect(await convergeAll([one, two]) < 50)
        let end = try two.storage.read { try $0.treeHead().time }.adding(seconds: Retention.historySeconds)
        // By the restore's own time: nobody has told the log that it is over.
        clock.advance(days: 31)
        let last = try target("a", on: two)
        await #expect(throws: RefusedRestoration(target: last, refusal: .isPast(end))) {
            _ = try await two.engine.restore(EngineDevice.app, [last])
        }
        await #expect(throws: RefusedRestoration.self) {
            _ = try await two.engine.restore(EngineDevice.app, [second])
        }
        #expect(await convergeAll([one, two]) < 50)
        #expect(one.disk.contents == ["b": "gone"])
    }

    @Test func whatIsThereComesBackOnlyAsAVersionThatIsNamed() async throws {
        let one = await EngineDevice(store, clock, executor, seed: 1)
        one.disk.makeDirectory("d")
        one.disk.write("a", to: "d/a")
        one.disk.write("b", to: "d/b")
        #expect(await convergeAll([one]) < 50)
        one.disk.setFlag(true, "d/b")
        #expect(await convergeAll([one]) < 50)
        let refusals: [(String, RestorationRefusal)] = [
            ("d", .isDirectory), ("d/a", .isThere), ("d/b", .isWithdrawn),
        ]
        for (path, refusal) in refusals {
            let asked = try target(path, on: one)
            await #expect(throws: RefusedRestoration(target: asked, refusal: refusal)) {
                _ = try await one.engine.restore(EngineDevice.app, [asked])
            }
        }
        let unknown = RestorationTarget(file: FileID(bits: 77))
        await #expect(throws: RefusedRestoration(target: unknown, refusal: .noSuchVersion)) {
            _ = try await one.engine.restore(EngineDevice.app, [unknown])
        }
        #expect(try one.storage.read { try $0.treeCursor() } == 2)
    }

    /// What is, or was last, at a path.
    private func target(
        _ path: String, on device: EngineDevice, isCurrent: Bool = false
    ) throws -> RestorationTarget {
        try device.storage.read { tree in
            let node = try tree.nodes(after: nil, limit: .max).last {
                try tree.lastPath(of: $0.id)?.joined(separator: "/") == path
            }
            let found = try #require(node)
            return RestorationTarget(
                file: found.id, version: isCurrent ? found.current?.revisions.first : nil)
        }
    }
}
