import CLinux
import CloudSync
import Databases
import Foundation
import FuseKit
import Glibc
import HomeTree
import Posix
import SystemPackage
import TestKit

@testable import SyncContent
@testable import SyncLog

/// A disk over a home on a real mount, with a clock that a test moves.
struct HomeDiskFixture: ~Copyable {
    let mounted: MountedHome
    let disk: HomeDisk
    let clock: HandClock
    let wakes: Wakes

    /// - Parameters:
    ///   - hasDatabases: with the helper process, which works through the mount.
    ///   - slow: in its place, waited for a moment only.
    init(
        rules: SafetyRules = .all, hasDatabases: Bool = false, slow: (any DatabaseAccess)? = nil,
        data: DataPath = .auto
    ) throws {
        let mounted = try MountedHome(data: data)
        let clock = HandClock()
        let wakes = Wakes()
        let documents = mounted.documents
        let helper = DatabaseHelper(
            program: Bundle.main.bundleURL.appendingPathComponent("database-helper").path)
        let helped = hasDatabases ? HelperDatabases(helper: helper) { documents } : nil
        let disk = try HomeDisk(
            tree: mounted.tree, clock: clock, rules: rules, databases: slow ?? helped,
            databaseSeconds: slow == nil ? nil : 0.02, wake: wakes.wake)
        _ = disk.takeChanges()
        self.mounted = mounted
        self.clock = clock
        self.wakes = wakes
        self.disk = disk
    }

    var documents: String { mounted.documents }
    /// Where Documents lies on the disk.
    var backing: String { mounted.container + "/Documents" }

    func look(_ path: String) throws(LocalError) -> LocalItem? { try disk.look(at: LocalPath(path)) }

    /// What is there, which must be something.
    func item(_ path: String) throws -> LocalItem {
        guard let item = try look(path) else { throw LocalError.gone }
        return item
    }

    func read(_ path: String, expecting: Fingerprint? = nil) throws -> String {
        var bytes: [UInt8] = []
        let expected = try expecting ?? item(path).fingerprint
        _ = try disk.read(LocalPath(path), expecting: expected) { bytes += $0 }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Puts a text in place as a remote version.
    @discardableResult
    func place(
        _ text: String, at path: String, displacing: Fingerprint? = nil, as name: String = "ab01",
        attributes: SyncLog.Attributes = .init(mode: 0o640, modified: 1_000_000_000_000_000_001)
    ) throws -> Fingerprint {
        let staged = try disk.stage(as: name)
        try staged.append(Array(text.utf8))
        return try disk.place(
            staged, at: LocalPath(path), attributes: attributes, displacing: displacing)
    }

    func readDisplaced(_ displaced: Displaced) throws -> String {
        var bytes: [UInt8] = []
        try disk.readDisplaced(displaced) { bytes += $0 }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Of a file by itself, whatever lies beside it.
    func backingFingerprint(_ name: String) throws -> Fingerprint {
        var stamp = lx_stamp()
        try valueOrErrno(lx_stamp(lx_at_fdcwd, backing + "/" + name, &stamp))
        return Fingerprint(
            device: stamp.device, inode: stamp.inode, birth: stamp.birth, sizeBytes: stamp.size,
            modified: stamp.modified, changed: stamp.changed)
    }

    /// The names in staging.
    func staged() throws -> [String] { try names(in: mounted.staging) }

    /// Waits for what the kernel says after close(2) has returned.
    func changes() throws -> LocalChanges {
        mounted.waitForLastRequest()
        return disk.takeChanges()
    }
}

extension LocalPath {
    init(_ text: String) { self.init(text.split(separator: "/").map(String.init)) }
}

/// A clock that stands until it is moved.
final class HandClock: SyncClock {
    private let time = Lock<UInt64>(1_000_000_000_000)
    func now() -> UInt64 { time.withLock { $0 } }
    func wallTime() -> Int64 { 0 }
    func sleep(until: UInt64) async throws {}
    func move(seconds: Double) { time.withLock { $0 += UInt64(seconds * 1e9) } }
}

final class Wakes: Sendable {
    private let calls = Lock(0)
    var count: Int { calls.withLock { $0 } }
    func wake() { calls.withLock { $0 += 1 } }
}

extension Fingerprint {
    /// The same item before it was last written.
    var older: Fingerprint {
        var older = self
        older.changed -= 1
        return older
    }
}
