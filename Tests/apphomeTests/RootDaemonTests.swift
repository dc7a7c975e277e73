import CLinux
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

    @Test func aFileOfRootsThatTheUserPutsBelowTheMountStaysRoots() throws {
        let site = try UserSite(uid: Self.uid)
        try site.mount("one")
        let (shown, backing) = (site.documents("one"), try site.backing("one"))
        let loot = site.place.path + "/loot"
        #expect(mkdir(loot, 0o755) == 0 && chown(loot, Self.uid, Self.uid) == 0)
        let names = ["read", "written", "changed", "flagged", "others", "emptied"]
        for name in names {
            let made = try site.run("cd \(shown); echo mine > \(name); chmod 666 \(name); stat \(name)")
            #expect(made.status == 0, "\(made)")
            try "secret".write(toFile: loot + "/" + name, atomically: false, encoding: .utf8)
            #expect(chmod(loot + "/" + name, 0o600) == 0)
            // The user may: both folders are his.
            #expect(try site.run("mv -f \(loot)/\(name) \(backing)/").status == 0)
        }
        let tries = [
            "cat read", "echo x > written", "chmod 4755 changed", "setfattr -n com.apple.x -v 1 flagged",
        ]
        for attempt in tries {
            let outcome = try site.run("cd \(shown); \(attempt)")
            #expect(outcome.status != 0 && !outcome.output.contains("secret"), "\(attempt): \(outcome)")
        }
        let other = try site.run("cd \(shown); cat others", as: Self.uid + 1)
        #expect(other.status != 0 && !other.output.contains("secret"), "\(other)")
        _ = try site.run("cd \(shown); : > emptied", as: Self.uid + 1)
        for name in names {
            var status = stat()
            #expect(lstat(backing + "/" + name, &status) == 0)
            #expect(status.st_uid == 0 && status.st_mode & 0o7777 == 0o600, "\(name)")
            let bytes = FileManager.default.contents(atPath: backing + "/" + name)
            #expect(bytes == Data("secret".utf8), "\(name)")
            #expect(attribute("user.com.apple.x", of: backing + "/" + name) == nil)
        }
    }

    @Test func whatOthersMakeInTheUsersHomeIsTheirs() throws {
        let site = try UserSite(uid: Self.uid)
        try site.mount("one")
        let shown = site.documents("one")
        #expect(chmod(shown, 0o777) == 0)
        let script = "cd \(shown); mkdir d; echo x > d/f; ln -s x l; mkfifo p; echo y > d/g"
        #expect(try site.run(script, as: Self.uid + 1).status == 0)
        for name in ["d", "d/f", "l", "p"] {
            var status = stat()
            #expect(lstat(shown + "/" + name, &status) == 0)
            #expect(status.st_uid == Self.uid + 1 && status.st_gid == Self.uid + 1, "\(name)")
        }
        // Nor does the user get at what is another's: the kernel has asked by mode.
        #expect(try site.run("chmod 700 \(shown)/d", as: Self.uid + 1).status == 0)
        #expect(try site.run("cat \(shown)/d/f").status != 0)
        #expect(try site.run("cat \(shown)/d/g", as: Self.uid + 1).output == "y\n")
        #expect(try site.run("cat \(shown)/d/f", as: 0).output == "x\n")
    }

    @Test func aFileThatAnotherUserKeepsToHimselfHoldsUpNoOther() throws {
        let site = try UserSite(uid: Self.uid)
        try site.mount("one")
        let shared = site.documents("one") + "/shared"
        #expect(try site.run("mkdir \(shared) && chmod 1777 \(shared)").status == 0)
        let made = try site.run("umask 077; echo his >\(shared)/his", as: 4712)
        #expect(made.status == 0, "\(made)")
        #expect(try site.run("echo late >\(site.documents("one"))/late").status == 0)
        let isListed = try eventually {
            try apphome("cloud", "ls", "Notes", in: site.device("one")).output.contains("late")
        }
        #expect(isListed)
        // Listed is what this device has sent; a moment later it knows that the store has it.
        var status = ""
        let isLeft = try eventually {
            status = try apphome("cloud", "status", in: site.device("one")).output
            return status.contains("1 change (4 B) to upload") && !status.contains("disk")
        }
        #expect(isLeft, "\(status)")
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
struct UserSite: ~Copyable {
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

    /// Makes a folder of the user's.
    func folder(_ name: String) throws -> String {
        let path = place.path + "/" + name
        guard mkdir(path, 0o755) == 0, chown(path, uid, uid) == 0 else { throw POSIXError(.EPERM) }
        return path
    }

    func device(_ name: String) -> String { place.path + "/" + name }
    func home(_ name: String) -> String { place.path + "/home-" + name }
    func documents(_ name: String) -> String { home(name) + "/Documents" }

    /// The backing folder of its Documents.
    func backing(_ name: String) throws -> String {
        let containers = device(name) + "/Containers/Data/Application"
        let homes = try FileManager.default.contentsOfDirectory(atPath: containers)
        return "\(containers)/\(try #require(homes.first))/Documents"
    }

    /// With whose rights on files the daemon's threads are just now.
    func threads(_ name: String) throws -> [(fileUser: UInt32, fileGroup: UInt32, groups: [UInt32])] {
        let process = try #require(daemons(name).first)
        let tasks = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")
        return tasks.compactMap { task in
            guard let status = text("/proc/\(process)/task/\(task)/status") else { return nil }
            func numbers(_ key: String) -> [UInt32] {
                let line = status.split(separator: "\n").first { $0.hasPrefix(key + ":") }
                return line?.split(whereSeparator: \.isWhitespace).compactMap { UInt32($0) } ?? []
            }
            guard let user = numbers("Uid").last, let group = numbers("Gid").last else { return nil }
            return (user, group, numbers("Groups"))
        }
    }

    func daemons(_ name: String) -> [Int32] { processes(["apphome", "daemon", device(name)]) }

    func waitForDaemonsEnd(_ name: String) -> Bool { eventually { daemons(name).isEmpty } }

    /// Runs a shell script as this user; as the device's where none is given.
    func run(_ script: String, as user: UInt32? = nil) throws -> Outcome {
        let id = String(user ?? uid)
        let words = ["--reuid", id, "--regid", id, "--clear-groups", "sh", "-c", script]
        return try apphome(words, in: place.path, program: "/usr/bin/setpriv")
    }

    /// Runs a Python program as the device's user.
    func run(python script: String, _ arguments: String...) throws -> Outcome {
        try start(python: script, arguments).wait()
    }

    func start(python script: String, _ arguments: String...) throws -> Running {
        try start(python: script, arguments)
    }

    private func start(python script: String, _ arguments: [String]) throws -> Running {
        let words = ["--reuid", "\(uid)", "--regid", "\(uid)", "--clear-groups", "python3", "-c", script]
        return try apphomeTests.start(words + arguments, in: place.path, program: "/usr/bin/setpriv")
    }

    /// As mount(8) does.
    func mount(_ name: String) throws {
        let helper = place.path + "/mount.apphome"
        try? FileManager.default.createSymbolicLink(atPath: helper, withDestinationPath: program)
        let home = place.path + "/home-" + name
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
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
