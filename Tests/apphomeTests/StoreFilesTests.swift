import CLinux
import Foundation
import Posix
import SystemPackage
import TestKit
import Testing

/// The Files view of an account, on a device that has neither its apps nor the account.
@Suite(.serialized) struct StoreFilesTests {
    @Test func theAppsOfAnAccountAreShownWholeAndFollowed() throws {
        let site = try AccountSite()
        try site.fill()
        let mounted = try site.mount()
        #expect(mounted.status == 0 && mounted.output.contains("(read-only)"), "\(mounted)")
        #expect(try names(site.view) == ["Notes", "Notes 2"])
        let notes = site.view + "/Notes"
        #expect(try names(notes) == [".hidden", "big", "db", "folder", "link"])
        #expect(text(notes + "/folder/inside") == "inside" && text(notes + "/.hidden") == "x")
        let link = try FileManager.default.destinationOfSymbolicLink(atPath: notes + "/link")
        #expect(link == "folder/inside" && text(notes + "/link") == "inside")
        #expect(text(site.view + "/Notes 2/folder/inside") == "second")
        try Self.expectNumbersOfTheirOwn(site.view)
        try Self.expectNoChange(site.view)
        try Self.expectLocks(notes + "/db", site)

        try "changed".write(toFile: site.documents + "/new", atomically: false, encoding: .utf8)
        try site.install("org.example.d", "Drawings", ["UISupportsDocumentBrowser": true])
        try site.sync("org.example.d")
        #expect(eventually { text(notes + "/new") == "changed" })
        #expect(try eventually { try names(site.view) == ["Drawings", "Notes", "Notes 2"] })
        let inside = open(site.view + "/Drawings", O_RDONLY | O_DIRECTORY)
        defer { close(inside) }
        try site.install("org.example.d", "Sketches", ["UISupportsDocumentBrowser": true])
        try site.sync("org.example.d")
        #expect(try eventually { try names(site.view) == ["Notes", "Notes 2", "Sketches"] })
        #expect(try number(inside) == number(site.view + "/Sketches"))
    }

    @Test func bytesAreFetchedWhenReadAndAStoreThatIsAwayKeepsNobody() throws {
        let site = try AccountSite()
        try site.fill()
        #expect(try site.mount().status == 0)
        let file = try #require(FileHandle(forReadingAtPath: site.view + "/Notes/big"))
        let before = try site.bytesRead()
        try file.seek(toOffset: 8_000_000)
        #expect(try file.read(upToCount: 1_000) == big[8_000_000..<8_001_000])
        #expect(try site.bytesRead() - before < 12_000_000)
        try file.close()

        let store = site.place.path + "/store"
        try FileManager.default.moveItem(atPath: store, toPath: store + "-away")
        #expect(try names(site.view) == ["Notes", "Notes 2"])
        #expect(try names(site.view + "/Notes") == [".hidden", "big", "db", "folder", "link"])
        for path in ["/Notes/folder/inside", "/Notes 2/folder/inside"] {
            for _ in 0..<3 { #expect(failure { isUnreadable(site.view + path) } == EIO) }
        }
        let log = try #require(text(site.place.device + "/run/daemon.log"))
        let lines = log.split(separator: "\n").filter { $0.contains("file://\(store): ") }
        #expect(lines.count == 1, "\(lines)")
        try FileManager.default.moveItem(atPath: store + "-away", toPath: store)
        #expect(text(site.view + "/Notes/folder/inside") == "inside")
        #expect(eventually { text(site.view + "/Notes 2/folder/inside") == "second" })
    }

    @Test func anAccountInABucketIsShownAndItsMountEndsWellAfterACrashToo() throws {
        let server = try SeaweedProcess(folder: SeaweedProcess.temporaryPath())
        defer { try? server.stop() }
        let site = try AccountSite(on: server)
        try site.fill()
        #expect(try site.mount().status == 0)
        #expect(try names(site.view) == ["Notes", "Notes 2"])
        #expect(FileManager.default.contents(atPath: site.view + "/Notes/big") == big)
        try "changed".write(toFile: site.documents + "/new", atomically: false, encoding: .utf8)
        #expect(eventually { text(site.view + "/Notes/new") == "changed" })

        let daemon = try #require(site.place.daemonProcessIDs.first)
        #expect(kill(daemon, SIGKILL) == 0)
        let hasEnded = site.place.waitForDaemonsEnd()
        #expect(hasEnded)
        // Another view's mount says how this one is mounted again; the dead one is cleaned.
        let other = site.place.path + "/files"
        let noticed = try site.place.run("files", "mount", other)
        let command = "apphome files mount \(site.view) --from '\(site.store)'"
        #expect(noticed.status == 0 && noticed.errors.contains(command), "\(noticed)")
        #expect(mounts(below: site.place.path).contains(site.view) == false)
        #expect(try site.mount().status == 0)
        #expect(text(site.view + "/Notes/new") == "changed")
        for mount in [site.view, other] {
            let unmounted = try site.place.run("unmount", mount)
            #expect(unmounted.status == 0, "\(unmounted)")
        }
        #expect(mounts(below: site.place.path) == [site.place.path + "/home"])
    }

    @Test func whatIsNoAccountIsRefused() throws {
        let place = try Workplace()
        for (url, reason) in [
            ("file://" + place.path + "/nothing", "the bucket or folder is not there"),
            ("none", "--from takes the URL of a store"), ("ftp://x", "ftp"),
        ] {
            let refused = try place.run("files", "mount", place.path + "/view", "--from", url)
            #expect(refused.status == 1 && refused.errors.contains(reason), "\(refused)")
            #expect(refused.errors.split(separator: "\n").count == 1)
        }
        #expect(access(place.path + "/view", F_OK) == -1)
    }

    /// Programs take two files of one number for the same file.
    private static func expectNumbersOfTheirOwn(_ view: String) throws {
        let paths = ["", "/Notes", "/Notes 2"].flatMap { [$0, $0 + "/folder", $0 + "/folder/inside"] }
        let numbers = try paths.filter { access(view + $0, F_OK) == 0 }.map { try number(view + $0) }
        #expect(numbers.count == 7 && Set(numbers).count == 7)
    }

    private static func expectNoChange(_ view: String) throws {
        let (file, folder) = (view + "/Notes/folder/inside", view + "/Notes/folder")
        let changes: [(String, () -> Bool)] = [
            ("mkdir at the top", { mkdir(view + "/x", 0o755) < 0 }),
            ("rmdir at the top", { rmdir(view + "/Notes") < 0 }),
            ("rename at the top", { rename(view + "/Notes", view + "/x") < 0 }),
            ("symlink at the top", { symlink("a", view + "/x") < 0 }),
            ("chmod at the top", { chmod(view + "/Notes", 0o700) < 0 }),
            ("mkdir", { mkdir(folder + "/x", 0o755) < 0 }),
            ("rmdir", { rmdir(folder) < 0 }),
            ("create", { open(folder + "/x", O_WRONLY | O_CREAT, 0o644) < 0 }),
            ("write", { open(file, O_WRONLY) < 0 }),
            ("truncate", { truncate(file, 0) < 0 }),
            ("unlink", { unlink(file) < 0 }),
            ("rename", { rename(file, folder + "/x") < 0 }),
            ("rename across apps", { rename(file, view + "/Notes 2/x") < 0 }),
            ("link", { link(file, folder + "/x") < 0 }),
            ("symlink", { symlink("a", folder + "/x") < 0 }),
            ("chmod", { chmod(file, 0o600) < 0 }),
            ("chown", { chown(file, getuid(), getgid()) < 0 }),
            ("utimes", { utimes(file, nil) < 0 }),
        ]
        for (name, change) in changes { #expect(failure(change) == EROFS, "\(name)") }
        for path in [view + "/Notes", file] {
            #expect(setAttribute("user.a", [1], of: path) == .readOnlyFileSystem)
            #expect(removeAttribute("user.a", of: path) == .readOnlyFileSystem)
        }
    }

    /// An opened file stays as it is, so a database can be read.
    private static func expectLocks(_ database: String, _ site: borrowing AccountSite) throws {
        let file = open(database, O_RDONLY)
        defer { close(file) }
        var lock = flock()
        lock.l_type = Int16(F_RDLCK)
        #expect(fcntl(file, F_SETLK, &lock) == 0)
        let program =
            "import sqlite3; print(sqlite3.connect('\(database)').execute('select a from t').fetchone())"
        let read = try apphome(["-c", program], in: site.place.device, program: "/usr/bin/python3")
        #expect(read.output == "(42,)\n", "\(read)")
    }
}

/// Content whose pieces differ.
private let big: Data = {
    var words: [UInt64] = []
    for index in 0..<2_000_000 as Range<UInt64> { words.append(index &* 0x9e37_79b9_7f4a_7c15) }
    return words.withUnsafeBytes { Data($0) }
}()

extension AccountSite {
    private static let opensInPlace = ["LSSupportsOpeningDocumentsInPlace": true]

    /// Two apps of one name that offer themselves, of which the first one's home stays mounted, and one that
    /// does not.
    fileprivate func fill() throws {
        try install("org.example.a", "Notes", Self.opensInPlace)
        try install("org.example.b", "Notes", Self.opensInPlace)
        try install("org.example.c", "Quiet", ["UIFileSharingEnabled": true])
        for (home, app) in [("/second", "org.example.b"), ("/home", "org.example.a")] {
            let folder = place.path + home
            #expect(try apphome("mount", app, folder, "--no-sync", in: source).status == 0)
            try write("Documents/folder/inside", home == "/home" ? "inside" : "second", in: folder)
        }
        try write("Documents/.hidden", "x", in: place.path + "/home")
        try big.write(to: URL(filePath: documents + "/big"))
        try FileManager.default.createSymbolicLink(
            atPath: documents + "/link", withDestinationPath: "folder/inside")
        let program =
            "import sqlite3; c = sqlite3.connect('\(documents)/db'); c.execute('create table t (a)'); "
            + "c.execute('insert into t values (42)'); c.commit()"
        let made = try apphome(["-c", program], in: source, program: "/usr/bin/python3")
        #expect(made.status == 0, "\(made)")
        for home in ["/second", "/home"] {
            #expect(try apphome("unmount", place.path + home, in: source).status == 0)
        }
        #expect(try apphome("cloud", "account", "set", store, in: source).status == 0)
        for app in ["a", "b", "c"] { try sync("org.example." + app) }
        #expect(try apphome("mount", "org.example.a", place.path + "/home", in: source).status == 0)
    }

    /// Puts an app on the first device, or another version of it.
    fileprivate func install(_ identifier: String, _ name: String, _ keys: [String: Bool]) throws {
        let bundle = "\(place.path)/bundles/\(identifier).app"
        try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: true)
        var list: [String: Any] = keys
        list["CFBundleIdentifier"] = identifier
        list["CFBundleDisplayName"] = name
        list["CFBundleExecutable"] = "App"
        try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
            .write(to: URL(filePath: bundle + "/Info.plist"))
        try "".write(toFile: bundle + "/App", atomically: false, encoding: .utf8)
        let installed = try apphome("install", bundle, in: source)
        #expect(installed.status == 0, "\(installed)")
    }

    private func write(_ path: String, _ text: String, in home: String) throws {
        let folder = URL(filePath: home + "/" + path).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try text.write(toFile: home + "/" + path, atomically: false, encoding: .utf8)
    }

    fileprivate func mount() throws -> Outcome { try place.run("files", "mount", view, "--from", store) }

    /// What the other device's daemon has read so far, of files or from the network.
    fileprivate func bytesRead() throws -> Int {
        let daemon = try #require(place.daemonProcessIDs.first)
        let line = try #require(text("/proc/\(daemon)/io")?.split(separator: "\n").first)
        return try #require(line.split(separator: " ").last.flatMap { Int($0) })
    }
}

private func number(_ path: String) throws -> UInt64 {
    var status = stat()
    guard lstat(path, &status) == 0 else { throw POSIXError(.ENOENT) }
    return UInt64(status.st_ino)
}

private func number(_ file: Int32) throws -> UInt64 {
    var status = stat()
    guard fstat(file, &status) == 0 else { throw POSIXError(.EBADF) }
    return UInt64(status.st_ino)
}

/// - Returns: whether the first byte cannot be had.
private func isUnreadable(_ path: String) -> Bool {
    let file = open(path, O_RDONLY)
    guard file >= 0 else { return true }
    defer { close(file) }
    var byte: UInt8 = 0
    return read(file, &byte, 1) < 0
}
