import CloudStore
import Posix
import SandboxFS
import SandboxRules
import SystemPackage
import TestKit
import Testing

@testable import CloudSync
@testable import DeviceServer
@testable import SyncContent

/// An app's documents, while their store does not answer.
struct LateDocumentsTests {
    @Test func aStoreThatDoesNotAnswerKeepsNobody() throws {
        let readings = Lock(0)
        let troubles = Lock<[SyncTrouble]>([])
        let note = { @Sendable (trouble: SyncTrouble) in troubles.withLock { $0.append(trouble) } }
        let (unanswered, end) = AsyncStream<Void>.makeStream()
        defer { end.finish() }
        let documents = LateDocuments(failed: note, patienceSeconds: 0) { () async throws(SyncTrouble) in
            readings.withLock { $0 += 1 }
            for await _ in unanswered {}
            throw .storeSlow
        }
        #expect(try documents.item(0).content == .directory)
        #expect(troubles.withLock { $0 } == [])
        for _ in 0..<3 {
            #expect(throws: Errno.ioError) { try documents.items(in: 0) }
            #expect(throws: Errno.ioError) { try documents.item(named: "a", in: 0) }
        }
        #expect(troubles.withLock { $0 } == [SyncTrouble](repeating: .storeSlow, count: 6))
        #expect(readings.withLock { $0 } <= 1)
    }

    @Test func aStoreThatRefusesIsNotAskedAgainAtOnce() throws {
        let readings = Lock(0)
        let troubles = Lock<[SyncTrouble]>([])
        let note = { @Sendable (trouble: SyncTrouble) in troubles.withLock { $0.append(trouble) } }
        let documents = LateDocuments(failed: note) { () async throws(SyncTrouble) in
            readings.withLock { $0 += 1 }
            throw .storeAway("gone")
        }
        for _ in 0..<100 { #expect(throws: Errno.ioError) { try documents.item(named: "a", in: 0) } }
        #expect(readings.withLock { $0 } == 1)
        #expect(troubles.withLock { $0 } == [.storeAway("gone")])
    }

    @Test func theFirstLookReadsThemAndLaterOnesFindThem() async throws {
        let store = MemoryStore { .machine }
        let account = try await Account.open(store, randomness: SystemSyncRandomness())
        try await AccountLog(log: try LogClient(reading: account, .account)).synchronise([])
        let replica = try #require(try await AccountReplica.open(in: store))
        let note = { @Sendable (trouble: SyncTrouble) in _ = Issue.record(trouble) }
        let app = try #require(BundleIdentifier("org.example.a"))
        let readings = Lock(0)
        let documents = LateDocuments(failed: note) { () async throws(SyncTrouble) in
            readings.withLock { $0 += 1 }
            return try await replica.documents(of: app)
        }
        #expect(readings.withLock { $0 } == 0)
        for _ in 0..<2 { #expect(try documents.items(in: 0) == []) }
        #expect(readings.withLock { $0 } == 1)
    }
}
