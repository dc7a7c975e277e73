import CloudStore
import Databases
import Foundation
import HomeTree
import Posix
import SystemPackage
import TestKit
import Testing

@testable import CloudSync
@testable import SyncContent
@testable import SyncLog

/// A database that never comes to rest, on a real mount, with the clocks of the machine.
@Suite(.enabled(if: Process.effectiveUserID == 0), .timeLimit(.minutes(2))) struct BusyDatabaseTests {
    private static let app = "local.notes"
    private static let name = "busy.sqlite"

    /// Commits every 50 ms until it is told to end.
    private final class Writer: Sendable {
        private let gate = Gate((isEnding: false, isOver: false, rows: 0))

        init(_ path: String) throws {
            let gate = gate
            try NativeThread(name: "writer") {
                defer { gate.update { $0.isOver = true } }
                guard let program = try? SQLiteProgram(path) else { return }
                _ = try? program.run("PRAGMA journal_mode=WAL; CREATE TABLE t(a);")
                while gate.wait(timeoutSeconds: 0.05, until: { $0.isEnding ? true : nil }) == nil {
                    _ = try? program.run("INSERT INTO t VALUES(randomblob(100));")
                    gate.update { $0.rows += 1 }
                }
                program.quit()
            }.detach()
        }

        var rows: Int { gate.update { $0.rows } }

        func end() {
            gate.update { $0.isEnding = true }
            _ = gate.wait { $0.isOver ? true : nil }
        }
    }

    private func engine(
        _ mounted: borrowing MountedHome, _ store: any ObjectStore
    ) async throws -> SyncEngine {
        let executor = try EngineThread(yields: false)
        let signal = Lock<SyncEngine?>(nil)
        let documents = mounted.documents
        let helper = DatabaseHelper(
            program: Bundle.main.bundleURL.appendingPathComponent("database-helper").path)
        let disk = try HomeDisk(
            tree: mounted.tree, databases: HelperDatabases(helper: helper) { documents },
            secondsBetweenCopies: 2
        ) { signal.withLock { $0 }?.wake() }
        let engine = SyncEngine(
            storage: MemoryStorage(),
            surroundings: SyncSurroundings(
                store: store, clock: SystemSyncClock(), randomness: SystemSyncRandomness(),
                executor: executor, events: SilentSink(), settings: SyncSettings(isStoreWatched: true)))
        signal.withLock { $0 = engine }
        await engine.add(
            SyncedApp(identifier: Self.app, displayName: "Notes", sharingKeys: []), disk: disk,
            storage: MemoryStorage())
        return engine
    }

    /// One thread syncs all apps, and waits for locks.
    @Test func anAppThatKeepsItsDatabasesLockedHoldsUpNoOther() async throws {
        let locking = try MountedHome()
        let other = try MountedHome()
        let engine = try await engine(locking, MemoryStore { .machine })
        let disk = try HomeDisk(tree: other.tree) { engine.wake() }
        await engine.add(
            SyncedApp(identifier: "local.other", displayName: "Other", sharingKeys: []), disk: disk,
            storage: MemoryStorage())
        let programs = try (0..<20).map { try SQLiteProgram(locking.documents + "/\($0).sqlite") }
        for program in programs {
            try program.run("CREATE TABLE t(a); BEGIN EXCLUSIVE; INSERT INTO t VALUES(1);")
        }
        let loop = Task { await engine.run() }
        // By then it is among the databases.
        try await Task.sleep(for: .seconds(3))
        try write("waits", to: other.documents + "/a")
        let start = ContinuousClock.now
        while await engine.status("local.other")?.documents != 1, .now - start < .seconds(90) {
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(ContinuousClock.now - start < .seconds(20))
        for program in programs { program.kill() }
        loop.cancel()
        engine.wake()
        await loop.value
    }

    @Test func aDatabaseThatIsWrittenWithoutPauseGoesUpAgainAndAgain() async throws {
        let mounted = try MountedHome()
        let store = MemoryStore { .machine }
        let engine = try await engine(mounted, store)
        let loop = Task { await engine.run() }
        let writer = try Writer(mounted.documents + "/" + Self.name)
        let deadline = ContinuousClock.now + .seconds(60)
        // The first entry is the database as it was created; later ones are what was written since.
        while ContinuousClock.now < deadline, await engine.status(Self.app)?.cursor ?? 0 < 3 {
            try await Task.sleep(for: .milliseconds(50))
        }
        let rows = writer.rows
        #expect(await engine.status(Self.app)?.cursor ?? 0 >= 3, "after \(rows) commits")
        writer.end()
        loop.cancel()
        engine.wake()
        await loop.value
        let other = TestDisk()
        let clock = ContentFixture.Clock()
        let reader = SyncEngine(
            storage: MemoryStorage(),
            surroundings: SyncSurroundings(
                store: store, clock: clock, randomness: ContentFixture.Random(7),
                executor: try EngineThread(yields: false), events: SilentSink()))
        await reader.add(
            SyncedApp(identifier: Self.app, displayName: "Notes", sharingKeys: []), disk: other,
            storage: MemoryStorage())
        #expect(await reader.syncOnce(Self.app).isUpToDate)
        let folder = try TemporaryFolder()
        let bytes = try #require(other.find(LocalPath([Self.name]))?.bytes)
        try Data(bytes).write(to: URL(filePath: folder.path + "/copy"))
        let answer = try SQLiteProgram.run(
            "PRAGMA integrity_check; SELECT count(*) > 10 FROM t;", on: folder.path + "/copy")
        #expect(answer == ["ok", "1"])
    }
}
