import CloudStore
import Posix
import TestKit
import Testing

@testable import CloudSync
@testable import SyncContent
@testable import SyncLog

/// `cloud gc --now`: what was sent for nothing goes at once. (What a copy of the device relies on does not:
/// the simulation's shape `takenBack`.)
@Suite(.timeLimit(.minutes(2))) struct TakeBackTests {
    let clock = ContentFixture.Clock()
    let executor: EngineThread
    let store: SpoiledStore
    /// Of several chunks.
    private let large = String(
        decoding: ContentFixture.Random(7).bytes(5 << 19).map { UInt8(ascii: "a") + $0 % 26 }, as: UTF8.self)

    init() throws {
        executor = try EngineThread(yields: false)
        store = SpoiledStore(LogFixture.store(clock))
    }

    private func contents() async throws -> [ObjectKey] {
        try await store.list(StoreLayout.chunkPrefix, after: nil, limit: 1000).value.objects.map(\.key)
            + store.list(StoreLayout.packPrefix, after: nil, limit: 1000).value.objects.map(\.key)
    }

    /// A document of which all chunks but the last came up.
    private func sendForNothing(_ name: LocalPath, from device: EngineDevice) async throws {
        let sent = Lock(0)
        store.spoil { request in
            guard case .putIfAbsent(let key, _) = request, key.text.hasPrefix("v1/c/") else { return nil }
            return sent.withLock {
                $0 += 1
                return $0 > 1 ? .refuse(.full("no room")) : nil
            }
        }
        device.disk.write(large, to: name)
        #expect(await device.sync().trouble == .storeFull("no room"))
        store.heal()
        #expect(try await contents().count == 1)
    }

    @Test(arguments: [true, false]) func whatWasSentOfADeletedFileGoesAtOnce(isSwept: Bool) async throws {
        let (one, two) = (try await device(1), try await device(2))
        #expect(await convergeAll([one, two]) < 50)
        try await sendForNothing("video", from: one)
        one.disk.delete("video")
        if isSwept { #expect(await one.sync().isUpToDate) }
        let taken = try await one.engine.takeBackUploads()
        #expect(taken.objects == 1 && taken.bytes > 0)
        #expect(try await contents() == [])
        #expect(try await one.engine.takeBackUploads() == TakenBack())
        #expect(await convergeAll([one, two]) < 50)
    }

    @Test func aFileThatStillWaitsIsSentAnew() async throws {
        let (one, two) = (try await device(1), try await device(2))
        #expect(await convergeAll([one, two]) < 50)
        try await sendForNothing("video", from: one)
        #expect(try await one.engine.takeBackUploads().objects == 1)
        #expect(await convergeAll([one, two]) < 50)
        #expect(two.disk.contents == ["video": large])
        #expect(try await two.engine.check(sample: 100).damaged.isEmpty)
    }

    @Test func whatADocumentNamesStays() async throws {
        let (one, two) = (try await device(1), try await device(2))
        one.disk.write(large, to: "video")
        one.disk.write("small", to: "note")
        #expect(await convergeAll([one, two]) < 50)
        let before = try await contents()
        #expect(try await one.engine.takeBackUploads() == TakenBack())
        #expect(try await contents() == before)
    }

    /// It ended after the batch was journaled, or was seen to be in the log, and before anything went.
    @Test(arguments: [1, 2]) func aRunThatWasCutOffIsDoneAgain(refused: Int) async throws {
        let one = try await device(1)
        await one.sync()
        try await sendForNothing("video", from: one)
        one.disk.delete("video")
        store.spoil { request in
            switch request {
            case .putIfAbsent(let key, _) where refused == 1 && key.text.contains("/log/"):
                .refuse(.full("no room"))
            case .delete: .refuse(.full("no room"))
            default: nil
            }
        }
        await #expect(throws: SyncTrouble.self) { try await one.engine.takeBackUploads() }
        store.heal()
        #expect(try await contents().count == 1)
        await one.restart()
        #expect(try await one.engine.takeBackUploads().objects == 1)
        #expect(try await contents() == [])
        #expect(await one.sync().isUpToDate)
    }

    /// An earlier version that found that it was a copy relied on what was sent before.
    @Test func whatAnEarlierVersionNotedIsNotTakenBackAndDoesNotCount() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/app.sqlite"
        let upload = PendingUpload(chunk: ContentHash(of: [1]), locator: .object(7))
        _ = try SQLiteStorage(path: path)
        try takeBackJournal3(in: path, with: upload)
        let (pending, abandoned, isAbandoned) = try SQLiteStorage(path: path).read { transaction in
            (
                try transaction.pendingUploads(), try transaction.abandonedUploads(),
                try transaction.isAbandoned(upload)
            )
        }
        #expect(pending == [] && isAbandoned)
        #expect(abandoned.map(\.upload) == [upload] && abandoned.map(\.isOwn) == [false])
    }

    private func device(_ seed: UInt64) async throws -> EngineDevice {
        await EngineDevice(
            store, clock, executor, seed: seed, storage: (MemoryStorage(), try SQLiteStorage(path: "")))
    }
}
