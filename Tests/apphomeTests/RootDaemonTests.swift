import Foundation
import Posix
import TestKit
import Testing

/// Root's daemon that serves a device of another user's, as mount(8) starts it with `uid=N`.
@Suite(.serialized, .enabled(if: geteuid() == 0)) struct RootDaemonTests {
    private static let uid: UInt32 = 4711

    @Test func everyFileOfTheStoreAndOfWhatComesFromItIsTheUsers() throws {
        let site = try UserSite(uid: Self.uid)
        for device in ["one", "two"] { try site.mount(device) }
        try "mine".write(toFile: site.documents("one") + "/a", atomically: false, encoding: .utf8)
        #expect(chown(site.documents("one") + "/a", Self.uid, Self.uid) == 0)
        let database = site.documents("one") + "/d.sqlite"
        let app = try SQLiteProgram(database)
        try app.run("CREATE TABLE t(a); INSERT INTO t VALUES('kept');")
        #expect(chown(database, Self.uid, Self.uid) == 0)
        let there = site.documents("two")
        #expect(eventually { FileManager.default.contents(atPath: there + "/a") == Data("mine".utf8) })
        #expect(eventually { FileManager.default.fileExists(atPath: there + "/d.sqlite") })
        for name in ["/a", "/d.sqlite"] { #expect(owner(there + name) == Self.uid, "\(name)") }
        var count = 0
        for folder in [site.store, site.device("one"), site.device("two")] {
            let walk = try #require(FileManager.default.enumerator(atPath: folder))
            for case let name as String in walk where !name.hasPrefix("run/") {
                #expect(owner(folder + "/" + name) == Self.uid, "\(folder)/\(name)")
                count += 1
            }
        }
        #expect(count > 40)
    }

    @Test func aStoreThatTheUserMayNotWriteIsRefusedAndStatusSaysSo() throws {
        let site = try UserSite(uid: Self.uid)
        try site.mount("one")
        let synced = try apphome("cloud", "sync", "Notes", "--wait", in: site.device("one"))
        #expect(synced.status == 0, "\(synced)")
        #expect(chown(site.store, 0, 0) == 0 && chmod(site.store, 0o700) == 0)
        try "late".write(toFile: site.documents("one") + "/a", atomically: false, encoding: .utf8)
        let device = site.device("one")
        let isTold = try eventually {
            let status = try apphome("cloud", "status", in: device).output
            return status.contains("ermission denied") && status.contains(site.store)
        }
        #expect(isTold)
        #expect(FileManager.default.contents(atPath: site.documents("one") + "/a") == Data("late".utf8))
        let other = try apphome("cloud", "account", "set", "file://" + site.store, in: site.device("two"))
        #expect(other.status == 1 && other.errors.contains("ermission denied"), "\(other)")
    }
}

private func owner(_ path: String) -> UInt32? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_uid : nil
}

/// Two devices and a store of a user who is not root.
private struct UserSite: ~Copyable {
    let place: Workplace
    private let uid: UInt32
    var store: String { place.path + "/store" }

    init(uid: UInt32) throws {
        let place = try Workplace()
        for name in ["store", "one", "two"] {
            let path = place.path + "/" + name
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            guard chown(path, uid, uid) == 0 else { throw POSIXError(.EPERM) }
        }
        for name in ["one", "two"] {
            let device = place.path + "/" + name
            #expect(try apphome("new", "Notes", "--share", in: device).status == 0)
            let set = try apphome("cloud", "account", "set", "file://" + place.path + "/store", in: device)
            #expect(set.status == 0, "\(set)")
        }
        self.place = place
        self.uid = uid
    }

    func device(_ name: String) -> String { place.path + "/" + name }
    func documents(_ name: String) -> String { place.path + "/home-" + name + "/Documents" }

    /// As mount(8) does.
    func mount(_ name: String) throws {
        let helper = place.path + "/mount.apphome"
        try? FileManager.default.createSymbolicLink(atPath: helper, withDestinationPath: program)
        let home = place.path + "/home-" + name
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: false)
        let mounted = try apphome(
            ["Notes", home, "-o", "device=\(device(name)),uid=\(uid),gid=\(uid)"], in: device(name),
            program: helper)
        #expect(mounted.status == 0, "\(mounted)")
    }

    deinit {
        for mount in mounts(below: place.path) {
            _ = try? apphome("unmount", "--lazy", mount, in: device(mount.hasSuffix("two") ? "two" : "one"))
        }
    }
}
