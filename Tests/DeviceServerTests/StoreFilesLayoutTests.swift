import CloudStore
import FuseKit
import Posix
import SandboxFS
import SystemPackage
import TestKit
import Testing

@testable import CloudSync
@testable import DeviceServer
@testable import SyncContent
@testable import SyncLog

/// The Files view of an account, whatever its store tells of its apps.
struct StoreFilesLayoutTests {
    private static let offering = ["LSSupportsOpeningDocumentsInPlace"]

    @Test func onlyAppsThatOfferThemselvesAreShownAndEqualNamesNumbered() async throws {
        let layout = try await Self.layout([
            SyncedApp(identifier: "c", displayName: "Notes", sharingKeys: ["UISupportsDocumentBrowser"]),
            SyncedApp(identifier: "a", displayName: "Notes", sharingKeys: Self.offering),
            SyncedApp(identifier: "b", displayName: "Shared", sharingKeys: ["UIFileSharingEnabled"]),
        ])
        #expect(
            try layout.entries(of: "") == [
                CompositeEntry("Notes", .part("a")), CompositeEntry("Notes 2", .part("c")),
            ])
        #expect(throws: Errno.noSuchFileOrDirectory) { try layout.entries(of: "Notes") }
    }

    @Test func noNameThatAStoreTellsIsAPath() async throws {
        let long = String(repeating: "n", count: 1_000)
        let hostile = ["..", ".", "", "a/../../b", "a\0b", long, long, "\u{202E}x\n"]
        let layout = try await Self.layout(
            hostile.enumerated().map { index, name in
                SyncedApp(identifier: "app\(index)", displayName: name, sharingKeys: Self.offering)
            })
        let names = try layout.entries(of: "").map(\.name)
        let short = String(long.prefix(253))
        #expect(names == ["_.", "_", "_ 2", "a:..:..:b", "a_b", short + "nn", short + " 2", "\u{202E}x\n"])
    }

    @Test func whatIsNoIdentifierIsLeftOut() async throws {
        let layout = try await Self.layout(
            ["../../etc", "", "a b", "good", "-x", String(repeating: "a", count: 500)].map {
                SyncedApp(identifier: $0, displayName: "Notes", sharingKeys: Self.offering)
            })
        #expect(try layout.entries(of: "") == [CompositeEntry("Notes", .part("good"))])
        #expect(throws: Errno.noSuchFileOrDirectory) { try layout.open("../../etc") }
    }

    /// Whoever may mount again, writable, changes nothing either.
    @Test func theViewItselfRefusesEveryChange() async throws {
        let layout = try await Self.layout([
            SyncedApp(identifier: "a", displayName: "Notes", sharingKeys: Self.offering)
        ])
        let view = CompositeFileSystem(layout, owner: Owner(uid: 0, gid: 0))
        let caller = Caller(uid: 0, gid: 0, thread: 1)
        let app = try #require(
            try "Notes".withFileName { (name) throws(Errno) in
                try view.lookup(name, in: view.root, for: caller).node
            })
        for directory in [view.root, app] {
            #expect(throws: Errno.readOnlyFileSystem) {
                try "x".withFileName { (name) throws(Errno) in
                    try view.makeDirectory(name, in: directory, mode: 0o755, for: caller)
                }
            }
            #expect(throws: Errno.readOnlyFileSystem) {
                try "Notes".withFileName { (name) throws(Errno) in
                    try view.removeDirectory(name, in: directory, for: caller)
                }
            }
        }
    }

    /// Of an account whose own log tells of these apps.
    private static func layout(_ apps: [SyncedApp]) async throws -> StoreFilesLayout {
        let store = MemoryStore { .machine }
        let account = try await Account.open(store, randomness: SystemSyncRandomness())
        try await AccountLog(log: try LogClient(reading: account, .account)).synchronise(apps)
        let replica = try #require(try await AccountReplica.open(in: store))
        return StoreFilesLayout(
            replica, owner: Owner(uid: 0, gid: 0), StoreTroubles("memory", DaemonLog()))
    }
}
