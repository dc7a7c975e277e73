import CLinux
import Foundation
import Glibc
import Posix
import TestKit
import Testing

/// `apphome backup mount`, of backups that share no code with the product.
@Suite(.serialized, .timeLimit(.minutes(3))) struct BackupMountTests {
    private static let notes = "AppDomain-org.example.notes"
    private static let documents =
        "private/var/mobile/Containers/Data/Application/org.example.notes/Documents"

    /// No two blocks of the cipher are the same.
    private static let large = (0..<100_001).map { String(1_000_000_000_000_000 + $0).dropFirst() + "\n" }
        .joined()

    private func item(
        _ domain: String, _ path: String, _ kind: String = "file", _ more: [String: Any] = [:]
    ) -> [String: Any] {
        ["domain": domain, "path": path, "kind": kind].merging(more) { $1 }
    }

    private var items: [[String: Any]] {
        [
            item(Self.notes, "", "directory", ["mode": 0o750]),
            item(Self.notes, "Documents", "directory", ["mode": 0o755]),
            item(
                Self.notes, "Documents/a.txt", "file",
                ["text": "one", "mode": 0o600, "attributes": ["com.apple.color": "0102"]]),
            item(Self.notes, "Documents/large", "file", ["text": Self.large]),
            item(Self.notes, "Documents/link", "link", ["target": "a.txt", "mode": 0o755]),
            item(Self.notes, "Documents/empty", "file"),
            item("HomeDomain", "", "directory", ["mode": 0o711]),
            item("HomeDomain", "Library/SMS/sms.db", "file", ["text": "messages"]),
            item("CameraRollDomain", "Library/SMS/sms.db", "file", ["text": "another"]),
        ]
    }

    private struct Mounted: ~Copyable {
        let place: Workplace
        var backup: String { place.path + "/phone" }
        var mount: String { place.path + "/m" }

        /// - Parameter arguments: of the mount.
        init(_ items: [[String: Any]], password: String? = nil, _ arguments: String...) throws {
            let place = try Workplace()
            try BackupProgram.make(items, in: place.path + "/phone", password: password)
            var arguments = ["backup", "mount", place.path + "/phone", place.path + "/m"] + arguments
            if password != nil { arguments += ["--password-file", try place.passwordFile()] }
            let made = try apphome(arguments, in: place.device)
            #expect(made.status == 0 && made.output.contains("stop: apphome unmount"), "\(made)")
            self.place = place
        }

        func status(_ path: String) throws -> stat {
            var status = stat()
            let result = lstat("\(mount)/\(path)", &status)
            #expect(result == 0, "\(path): \(errno)")
            return status
        }

        func text(_ path: String) -> String? {
            FileManager.default.contents(atPath: "\(mount)/\(path)").map {
                String(decoding: $0, as: UTF8.self)
            }
        }

        func names(_ path: String = "") throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: "\(mount)/\(path)").sorted()
        }
    }

    @Test(arguments: [nil, "secret"])
    func itIsShownAsItLiesOnTheDevice(password: String?) throws {
        let mounted = try Mounted(items, password: password)
        #expect(try mounted.names() == [".apphome-refused", "private"])
        #expect(mounted.text(".apphome-refused/items.txt") == "")
        #expect(try mounted.names(Self.documents) == ["a.txt", "empty", "large", "link"])
        #expect(mounted.text("\(Self.documents)/a.txt") == "one")
        #expect(mounted.text("\(Self.documents)/empty") == "")
        let file = try mounted.status("\(Self.documents)/a.txt")
        #expect(file.st_mode == FileMode.regular | 0o600 && file.st_uid == 501 && file.st_size == 3)
        #expect(file.st_mtim.tv_sec == 1_700_000_000)
        #expect(try mounted.status("private/var/mobile").st_mode == FileMode.directory | 0o711)
        #expect(try mounted.status("private/var").st_mode == FileMode.directory | 0o755)
        let link = "\(mounted.mount)/\(Self.documents)/link"
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "a.txt")
        #expect(mounted.text("private/var/mobile/Library/SMS/sms.db") == "messages")
        #expect(mounted.text("private/var/mobile/Library/SMS/sms.db~CameraRollDomain") == "another")
        let path = "\(mounted.mount)/\(Self.documents)/a.txt"
        #expect(attribute("com.apple.color", of: path) == [1, 2])
        #expect(attribute("user.apphome.domain", of: path) == Array(Self.notes.utf8))
        #expect(attributeNames(of: path).count == 6)
        #expect(open("\(mounted.mount)/private/new", O_CREAT | O_WRONLY, 0o644) == -1 && errno == EROFS)
        #expect(open(path, O_RDWR) == -1 && errno == EROFS)
        #expect(try mounted.place.run("unmount", mounted.mount).status == 0)
        #expect(eventually { !FileManager.default.fileExists(atPath: mounted.mount) })
        #expect(eventually { processes(["apphome", "backup", "mount", mounted.backup]).isEmpty })
    }

    @Test func anyPartOfAnEncryptedFileIsReadAlone() throws {
        let mounted = try Mounted(items, password: "secret")
        let path = "\(mounted.mount)/\(Self.documents)/large"
        let whole = Array(Self.large.utf8)
        // Not compared where a failure would print all of it.
        let isWhole = FileManager.default.contents(atPath: path).map(Array.init) == whole
        #expect(isWhole)
        // Each by a request of its own.
        let file = try Descriptor(path, flags: O_RDONLY | lx_o_direct)
        for seed in 0..<500 {
            let (offset, count) = (seed * 3_203 % whole.count, 1 + seed * 17 % 300)
            let read = try FileTree.read(file.raw, offset: Int64(offset), count: count)
            #expect(read == Array(whole[offset..<min(offset + count, whole.count)]), "\(offset)")
        }
    }

    /// Access times of 2020: every read would move them, on a file system that is mounted as most are.
    @Test(arguments: [false, true], [nil, "secret"])
    func nothingOfTheBackupChangesNotEvenAnAccessTime(asUser: Bool, password: String?) throws {
        let place = try Workplace()
        let command: ([String]) throws -> Outcome
        if asUser {
            command = try place.ordinaryUser()
        } else {
            let device = place.device
            command = { try apphome($0, in: device) }
        }
        let backup = place.path + "/phone"
        try BackupProgram.make(items, in: backup, password: password)
        let paths = [backup] + (FileManager.default.subpaths(atPath: backup) ?? []).map { "\(backup)/\($0)" }
        for path in paths {
            if asUser, geteuid() == 0 { _ = chown(path, 1000, 1000) }
            let old = timespec(tv_sec: 1_577_836_800, tv_nsec: 0)
            _ = [old, old].withUnsafeBufferPointer { utimensat(AT_FDCWD, path, $0.baseAddress, 0) }
        }
        let before = try paths.map(stamp)
        var arguments = ["backup", "mount", backup, place.path + "/m"]
        if password != nil { arguments += ["--password-file", try place.passwordFile()] }
        let mounted = try command(arguments)
        #expect(mounted.status == 0, "\(mounted)")
        // Whose mount it is reads it.
        let grep = [
            "--reuid", "1000", "--regid", "1000", "--clear-groups", "grep", "-rc", "", place.path + "/m",
        ]
        let isOther = asUser && geteuid() == 0
        let read = run(isOther ? "/usr/bin/setpriv" : "/bin/grep", isOther ? grep : Array(grep.dropFirst(6)))
        #expect(read == 0)
        #expect(try command(["unmount", place.path + "/m"]).status == 0)
        #expect(eventually { processes(["apphome", "backup", "mount", backup]).isEmpty })
        #expect(try paths.map(stamp) == before)
    }

    private func stamp(_ path: String) throws -> String {
        var status = stat()
        #expect(lstat(path, &status) == 0)
        let times = [status.st_atim, status.st_mtim, status.st_ctim].map { "\($0.tv_sec).\($0.tv_nsec)" }
        return "\(path) \(status.st_ino) \(status.st_size) \(status.st_mode) \(times)"
    }

    private func run(_ program: String, _ arguments: [String]) -> Int32 {
        let process = Foundation.Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return 127 }
        process.waitUntilExit()
        return process.terminationStatus
    }

    @Test func toolsThatKnowNoPasswordReadAnEncryptedBackupByIdentifier() throws {
        let place = try Workplace()
        try place.run("new", "Notes")
        try place.run("mount", "Notes", place.path + "/notes", "--no-sync")
        try place.write(Self.large, to: "notes/Documents/d/large")
        let secret = ["--password-file", try place.passwordFile()]
        let create = ["backup", "create", "--to", place.backups, "--encrypt"]
        #expect(try apphome(create + secret, in: place.device).status == 0)
        let mount = ["backup", "mount", place.backups, place.path + "/m", "--by", "id"]
        #expect(try apphome(mount + secret, in: place.device).status == 0)
        let shown = try BackupProgram.extract(place.path + "/m", to: place.path + "/shown")
        let there = try BackupProgram.extract(
            place.backup(), to: place.path + "/there", password: "secret")
        let file = "AppDomain-local.Notes/Documents/d/large"
        #expect(shown == there && shown.contains(file), "\(shown)")
        let isEqual = place.read("shown/\(file)") == Self.large && place.read("there/\(file)") == Self.large
        #expect(isEqual)
    }

    @Test func aDirectoryForEachDomainIsShownWhereThatIsWanted() throws {
        let mounted = try Mounted(items, "--by", "domain")
        #expect(try mounted.names() == [".apphome-refused", Self.notes, "CameraRollDomain", "HomeDomain"])
        #expect(mounted.text("HomeDomain/Library/SMS/sms.db") == "messages")
    }

    @Test func aBadRowLosesItselfAndIsNamed() throws {
        let place = try Workplace()
        let long = String(repeating: "長", count: 255)
        try BackupProgram.make(
            items + [
                item(Self.notes, "Documents/../../../escaped"),
                item(Self.notes, "Documents/bad", "file", ["size": -1]),
                item(Self.notes, "Documents/lost", "file", ["text": "x", "blob": NSNull()]),
                item(Self.notes, "Documents/short", "file", ["size": 100_000, "text": "x"]),
                item("AppDomain-../../../tmp/e", "in", "file", ["text": "kept"]),
                item(Self.notes, "Documents/\(long)", "file", ["text": "long"]),
            ], in: place.path + "/phone")
        let running = try start(
            ["backup", "mount", place.path + "/phone", place.path + "/m", "--foreground"], in: place.device)
        _ = running.output(upTo: "stop: apphome unmount")
        let mount = place.path + "/m"
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(mount)/\(Self.documents)").sorted()
        #expect(names == ["a.txt", "empty", "large", "link", "lost", "short", long])
        #expect(text("\(mount)/\(Self.documents)/\(long)") == "long")
        #expect(open("\(mount)/\(Self.documents)/lost", O_RDONLY) == -1 && errno == EIO)
        #expect(FileManager.default.contents(atPath: "\(mount)/\(Self.documents)/short") == nil)
        let refused = try #require(text("\(mount)/.apphome-refused/items.txt"))
        #expect(refused.split(separator: "\n").count == 3, "\(refused)")
        #expect(refused.contains("\(Self.notes)/Documents/bad has a record that is"), "\(refused)")
        let kept = "\(mount)/.apphome-refused/domain AppDomain-..%2F..%2F..%2Ftmp%2Fe/in"
        #expect(text(kept) == "kept")
        kill(running.process.processIdentifier, SIGTERM)
        let ended = try running.wait()
        #expect(ended.status == 3 && ended.errors.contains("escaped"), "\(ended)")
        #expect(!FileManager.default.fileExists(atPath: mount))
    }

    @Test func aWrongPasswordAndAFolderThatIsNoBackupAreOneLine() throws {
        let place = try Workplace()
        try BackupProgram.make(items, in: place.path + "/phone", password: "other")
        let wrong = try place.run(
            "backup", "mount", place.path + "/phone", place.path + "/m", "--password-file",
            try place.passwordFile())
        #expect(
            wrong.status == 1 && wrong.errors == "apphome: error: wrong password for this backup\n",
            "\(wrong)")
        let none = try place.run("backup", "mount", place.path, place.path + "/m")
        #expect(none.status == 1 && none.errors.split(separator: "\n").count == 1, "\(none)")
        #expect(!FileManager.default.fileExists(atPath: place.path + "/m"))
    }

    /// Off by default: what is shown is what the backup has.
    @Test(arguments: [nil, "secret"])
    func sqliteOpensADatabaseThatHasALogWhereThatIsWanted(password: String?) throws {
        let place = try Workplace()
        let database = place.path + "/d.sqlite"
        _ = try SQLiteProgram.run(
            "PRAGMA journal_mode=WAL; CREATE TABLE t (x); INSERT INTO t VALUES (7);", on: database)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: database)).base64EncodedString()
        let items = [
            item(Self.notes, "Documents/d.sqlite", "file", ["base64": bytes]),
            item(Self.notes, "Documents/a", "file", ["text": "no database"]),
        ]
        let mounted = try Mounted(items, password: password, "--sqlite")
        let shown = "\(mounted.mount)/\(Self.documents)"
        #expect(try SQLiteProgram.run("SELECT x FROM t;", on: shown + "/d.sqlite") == ["7"])
        #expect(attribute("user.apphome.synthetic", of: shown + "/d.sqlite-wal") != nil)
        #expect(try mounted.names(Self.documents) == ["a", "d.sqlite"])
        #expect(access(shown + "/a-wal", F_OK) == -1 && errno == ENOENT)
        let plain = try Mounted(items, password: password)
        #expect(access("\(plain.mount)/\(Self.documents)/d.sqlite-wal", F_OK) == -1)
    }
}
