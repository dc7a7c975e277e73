import CloudStore
import Posix
import StoreBasics

@testable import CloudSync
@testable import SyncContent
@testable import SyncLog

/// Two devices that edit, create and delete documents for two months of an account's time, in so many
/// commits, on a real store; a third one that is off for the second month; and what is in the store when the
/// history of all that is over.
struct Years {
    static let days = 60.0
    /// The third device is off for so long: one day less than history stays.
    static let daysOff = 29.0
    private static let turn = 20
    private static let daySeconds = 86_400.0

    let commits: Int
    /// So many names; each is written some fifty times.
    private let documents: Int
    let clock = ContentFixture.Clock()
    let store: ShiftedStore
    let writers: [EngineDevice]
    let sleeper: EngineDevice
    private let random = ContentFixture.Random(1)
    private let executor: EngineThread
    private let storages: String
    private let start: StoreTime

    /// - Parameter storages: of a folder for what the devices remember.
    init(_ base: any ObjectStore, commits: Int, storages: String) async throws {
        self.commits = commits
        documents = max(1, commits / 50)
        self.storages = storages
        executor = try EngineThread(yields: false)
        start = clock.storeTime
        store = ShiftedStore(base, clock)
        var devices: [EngineDevice] = []
        for seed: UInt64 in 1...3 {
            devices.append(
                try await Self.device(seed, store, clock, executor, commits: commits, storages: storages))
        }
        (writers, sleeper) = (Array(devices[..<2]), devices[2])
    }

    private static func device(
        _ seed: UInt64, _ store: ShiftedStore, _ clock: ContentFixture.Clock, _ executor: EngineThread,
        commits: Int, storages: String
    ) async throws -> EngineDevice {
        // A short run has snapshots too.
        let snapshots = SnapshotPolicy(leastCommits: UInt64(min(1_000, max(10, commits / 10))))
        return await EngineDevice(
            store, clock, executor, seed: seed, settings: SyncSettings(snapshots: snapshots),
            storage: (
                try SQLiteStorage(path: "\(storages)/account \(seed)"),
                try SQLiteStorage(path: "\(storages)/app \(seed)")
            ))
    }

    /// One that has nothing yet.
    func newcomer() async throws -> EngineDevice {
        try await Self.device(9, store, clock, executor, commits: commits, storages: storages)
    }

    /// All commits, each a day's part after the one before; the store is looked after once a day.
    func live() async throws {
        var lastCollection = 0.0
        for commit in 0..<commits {
            let day = Double(commit) * Self.days / Double(commits)
            let writer = writers[commit / Self.turn % writers.count]
            change(writer.disk)
            clock.pass(UInt64(Self.days * Self.daySeconds / Double(commits) * 1e9))
            try check(await writer.sync(), "commit \(commit)")
            guard (commit + 1).isMultiple(of: Self.turn) else { continue }
            await writer.engine.makeDueSnapshots()
            if day < Self.days - Self.daysOff { try check(await sleeper.sync(), "third device") }
            guard day - lastCollection >= 1 else { continue }
            lastCollection = day
            _ = await writers[0].engine.collectIfNeeded()
        }
    }

    /// Days of the account's time since it began.
    var day: Int64 { (clock.storeTime.seconds - start.seconds) / 86_400 }

    private func change(_ disk: TestDisk) {
        let number = random.below(documents)
        let directory = LocalPath(["\(number % 50)"])
        let path = directory.appending("\(number).txt")
        disk.makeDirectory(directory)
        if disk.find(path) != nil, random.below(10) == 0 { return disk.delete(path) }
        let words = (0..<30 + random.below(200)).map { _ in String(random.next(), radix: 36) }
        disk.write(words.joined(separator: " "), to: path)
    }

    struct NotUpToDate: Error, CustomStringConvertible {
        let description: String
    }

    private func check(_ rest: SyncRest, _ what: String) throws {
        if !rest.isUpToDate { throw NotUpToDate(description: "\(what): \(rest)") }
    }

    // MARK: What the store holds
    struct Bytes {
        /// Of chunks and packs.
        var stored: UInt64 = 0
        /// Of those, what the trees and the newest snapshot of each refer to.
        var needed: UInt64 = 0
        /// Of all else: entries of the logs, roots of snapshots, notes.
        var records: UInt64 = 0

        /// How much more lies there than is needed.
        var ratio: Double { Double(stored + records) / Double(needed + records) }
    }

    /// Counted from the store's own listing and the trees, and not by what collects.
    func bytes() async throws -> Bytes {
        var bytes = Bytes()
        var snapshots: [Substring: ObjectKey] = [:]
        for object in try await store.listAll("v1/").value {
            let text = object.key.text
            let isContent = [StoreLayout.chunkPrefix, StoreLayout.packPrefix].contains(where: text.hasPrefix)
            if isContent { bytes.stored += object.sizeBytes } else { bytes.records += object.sizeBytes }
            if let end = text.firstRange(of: "/snap/") { snapshots[text[..<end.lowerBound]] = object.key }
        }
        for key in snapshots.values {
            guard let found = try await store.get(key).value else { continue }
            let pages = try SnapshotRoot(found.bytes).pages
            bytes.needed += pages.reduce(0) { $0 + UInt64($1.chunk.sizeBytes) }
        }
        for storage in [writers[0].storage, writers[0].accountStorage] {
            bytes.needed += try storage.read { tree in
                try tree.chunks(after: nil, limit: .max).reduce(0) { $0 + UInt64($1.sizeBytes) }
            }
        }
        return bytes
    }
}
