import Foundation
import Posix
import SystemPackage
import TestKit
import Testing

@testable import CloudStore

@Suite struct DirectoryWatchTests {
    /// Counts the bursts that a watch tells of.
    private final class Counter: Sendable {
        let count = Lock(0)
        private let task = Lock<Task<Void, Never>?>(nil)

        init(_ changes: AsyncStream<Void>) {
            let count = self.count
            task.withLock { task in
                task = Task { for await _ in changes { count.withLock { $0 += 1 } } }
            }
        }

        var value: Int { count.withLock { $0 } }
        /// Returns once the stream has ended.
        func end() async { await task.withLock { $0 }?.value }
    }

    @Test func `A change of another writer is told, and none while nothing changes`() async throws {
        let folder = try ScratchFolder()
        try DirectoryStore.create(at: folder.path)
        let store = DirectoryStore(path: folder.path)
        let watch = try DirectoryWatch(of: store, folder: "v1/hint")
        let counter = Counter(watch.changes)
        let other = DirectoryStore(path: folder.path)
        _ = try await other.put([1], at: try key("v1/other/a"))
        for round in 1...3 {
            let before = counter.value
            _ = try await other.put([UInt8(round)], at: try key("v1/hint/device"))
            try await waitUntil { counter.value > before }
        }
        _ = try await other.putIfAbsent([1], at: try key("v1/hint/second"))
        let before = counter.value
        _ = try await other.delete(try key("v1/hint/second"))
        try await waitUntil { counter.value > before }
    }

    @Test func `The stream ends with the watch, and its thread too`() async throws {
        let folder = try ScratchFolder()
        try DirectoryStore.create(at: folder.path)
        var watch: DirectoryWatch? = try DirectoryWatch(of: DirectoryStore(path: folder.path), folder: "hint")
        let counter = Counter(try #require(watch).changes)
        watch = nil
        await counter.end()
        try await waitUntil {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").allSatisfy { task in
                (try? contents(of: "/proc/self/task/\(task)/comm")) != "store watch\n"
            }
        }
    }

    @Test func `A folder that goes away and comes back is watched again`() async throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/store"
        try DirectoryStore.create(at: path)
        let store = DirectoryStore(path: path)
        let watch = try DirectoryWatch(of: store, folder: "hint")
        let counter = Counter(watch.changes)
        try FileManager.default.removeItem(atPath: path + "/hint")
        try await waitUntil { counter.value > 0 }
        try await waitUntil(seconds: 30) {
            let before = counter.value
            _ = try await store.put([1], at: try key("hint/a"))
            try await Task.sleep(for: .milliseconds(20))
            return counter.value > before
        }
    }

    @Test func `What is put in the folder's place is watched`() async throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/above/store"
        try DirectoryStore.create(at: path)
        let store = DirectoryStore(path: path)
        let watch = try DirectoryWatch(of: store, folder: "hint", lookSeconds: 0.2)
        let counter = Counter(watch.changes)
        // No event of inotify tells of what is done to a directory above.
        try FileManager.default.moveItem(atPath: folder.path + "/above", toPath: folder.path + "/aside")
        try FileManager.default.copyItem(atPath: folder.path + "/aside", toPath: folder.path + "/above")
        try await waitUntil { counter.value > 0 }
        let before = counter.value
        _ = try await store.put([1], at: try key("hint/a"))
        try await waitUntil { counter.value > before }
    }

    @Test func `Only file systems of this machine alone are watched`() throws {
        let folder = try ScratchFolder()
        #expect(LocalFileSystem.holds(try Descriptor(folder.path, flags: 0)))
        // Neither of these tells inotify of all its changes.
        #expect(!LocalFileSystem.holds(try Descriptor("/proc", flags: 0)))
        #expect(!LocalFileSystem.holds(try Descriptor("/sys", flags: 0)))
    }

    @Test func `A store that is not there cannot be watched`() throws {
        let folder = try ScratchFolder()
        let error = #expect(throws: StoreError.self) {
            try DirectoryWatch(of: DirectoryStore(path: folder.path + "/none"), folder: "hint")
        }
        #expect(error?.kind == "missing")
    }
}
