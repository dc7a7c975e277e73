import Foundation
import TestKit
import Testing

/// `apphome backup create|list|restore --cloud`, with real daemons on one store.
@Suite(.serialized, .timeLimit(.minutes(5))) struct CloudBackupCommandTests {
    @Test func oneDeviceRestoresTheOthersSnapshotAndUndoesIt() throws {
        let place = try SnapshotPlace()
        try place.fill()
        let made = try place.snap("--json")
        #expect(made.output.contains("\"files\" : 4"), "\(made)")
        #expect(try place.one("unmount", place.path + "/m").status == 0)
        #expect(try place.two("new", "Notes", "--group", "group.local.Notes").status == 0)
        let restored = try place.two("backup", "restore", "--cloud")
        #expect(
            restored.output.contains("restored Notes (900 kB): 4 files, 1 group\n"), "\(restored)")
        #expect(try place.two("mount", "Notes", place.path + "/n", "--no-sync").status == 0)
        #expect(place.read("n/Documents/d/a") == "then" && place.read("n/Library/b") == "kept too")
        #expect(place.read("n/Library/Caches/c") == nil && place.read("n/Documents/flagged") == nil)
        #expect(place.read("n/Documents/large")?.count == 900_000)
        #expect(place.link("n/Documents/l") == "d/a")
        let mode = try FileManager.default.attributesOfItem(atPath: place.path + "/n/Documents/d/a")
        #expect(mode[.posixPermissions] as? Int == 0o640)
        try place.write("now", to: "n/Documents/d/a")
        #expect(try place.two("unmount", place.path + "/n").status == 0)
        let again = try place.two("backup", "restore", "--cloud", "Notes")
        #expect(again.status == 0 && again.output.contains("--undo"), "\(again)")
        #expect(try place.two("backup", "restore", "--undo", "Notes").status == 0)
        #expect(try place.two("mount", "Notes", place.path + "/n", "--no-sync").status == 0)
        #expect(place.read("n/Documents/d/a") == "now")
    }

    @Test func onADeviceWithoutTheAppASnapshotBecomesAPlaceholder() throws {
        let place = try SnapshotPlace()
        try place.fill()
        try place.snap()
        let restored = try place.two("backup", "restore", "--cloud", "local.Notes")
        #expect(
            restored.output == "restored local.Notes as a placeholder (no bundle): 4 files, 1 group\n",
            "\(restored)")
        let absent = try place.two("backup", "restore", "--cloud", "Ledger")
        #expect(absent.status == 1 && absent.errors.split(separator: "\n").count == 1, "\(absent)")
        let others = try place.two("backup", "restore", "--cloud", "--of", "nobody")
        #expect(others.status == 1 && others.errors.contains("backup list --cloud"), "\(others)")
    }

    @Test func timesChooseTheSnapshotAndKeepSaysWhichStay() throws {
        let place = try SnapshotPlace()
        try place.fill()
        let first = try place.name(of: place.snap("--json"))
        try place.write("later", to: "m/Documents/d/a")
        #expect(eventually { Date().timeIntervalSince1970 > place.seconds(first) + 1 })
        let second = try place.name(of: place.snap("--json"))
        #expect(first < second)
        #expect(try place.one("unmount", place.path + "/m").status == 0)
        #expect(try place.one("backup", "restore", "--cloud", "--at", first, "Notes").status == 0)
        #expect(try place.mounted { place.read("m/Documents/d/a") } == "then")
        let early = try place.one("backup", "restore", "--cloud", "--at", "2001-01-01", "Notes")
        #expect(early.status == 1 && early.errors.split(separator: "\n").count == 1, "\(early)")
        let third = try place.snap("--keep", "2")
        #expect(third.output.contains("1 older snapshot went"), "\(third)")
        let listed = try place.two("backup", "list", "--cloud")
        #expect(!listed.output.contains(first) && listed.output.contains(second), "\(listed)")
        #expect(try place.one("backup", "restore", "--cloud", "Notes").status == 0)
        #expect(try place.mounted { place.read("m/Documents/d/a") } == "then")
    }

    @Test func anUnchangedSnapshotSendsNothingAndTheQuotaIsSeenAndKept() throws {
        let place = try SnapshotPlace()
        try place.fill()
        try place.snap()
        let again = try place.snap()
        #expect(again.output.contains("4 of them unchanged") && again.output.contains(", 0 B sent"))
        let quota = try place.one("cloud", "quota", "--json")
        #expect(quota.output.contains("\"backupBytes\" : 9"), "\(quota)")
        #expect(try place.one("device", "set", "quota", "1000").status == 0)
        #expect(try place.one("unmount", place.path + "/m").status == 0)
        let before = try place.one("backup", "list", "--cloud").output
        let refused = try place.one("backup", "create", "--cloud")
        #expect(refused.status == 1 && refused.errors.contains("--keep"), "\(refused)")
        #expect(refused.errors.split(separator: "\n").count == 1)
        #expect(try place.one("backup", "list", "--cloud").output == before)
    }

    @Test func withoutAnAccountOneLineSaysWhatToDo() throws {
        let place = try Workplace()
        #expect(try place.run("new", "Notes").status == 0)
        #expect(try place.run("cloud", "account", "none").status == 0)
        for arguments in [["create", "--cloud"], ["list", "--cloud"], ["restore", "--cloud"]] {
            let failed = try apphome(["backup"] + arguments, in: place.device)
            #expect(failed.status == 1 && failed.errors.contains("cloud account set"), "\(failed)")
            #expect(failed.errors.split(separator: "\n").count == 1)
        }
    }

    @Test func aRestoreOfASyncedAppDeletesNothingAnywhere() throws {
        let place = try SnapshotPlace()
        try place.fill(syncs: true)
        try place.snap()
        try place.write("later", to: "m/Documents/d/a")
        try place.write("new", to: "m/Documents/new")
        #expect(try place.one("cloud", "sync", "Notes", "--wait").status == 0)
        #expect(try place.one("unmount", place.path + "/m").status == 0)
        let restored = try place.one("backup", "restore", "--cloud", "Notes")
        #expect(restored.status == 0, "\(restored)")
        #expect(try place.two("new", "Notes").status == 0)
        #expect(try place.one("mount", "Notes", place.path + "/m").status == 0)
        #expect(try place.one("cloud", "sync", "Notes", "--wait").status == 0)
        #expect(try place.two("mount", "Notes", place.path + "/n").status == 0)
        #expect(try place.two("cloud", "sync", "Notes", "--wait").status == 0)
        for root in ["m", "n"] {
            #expect(eventually { place.read("\(root)/Documents/d/a") == "then" })
            #expect(eventually { place.read("\(root)/Documents/new") == "new" })
        }
        #expect(place.read("m/Documents/flagged") == "no" && place.read("n/Documents/flagged") == nil)
    }
}

/// Two devices on one account in a folder.
private struct SnapshotPlace: ~Copyable {
    let place: Workplace
    let other: Workplace
    var path: String { place.path }

    init() throws {
        let one = try Workplace()
        let two = try Workplace()
        let store = "file://\(one.path)/store"
        for device in [one.device, two.device] {
            #expect(try apphome("device", "create", device, in: device).status == 0)
            let set = try apphome("cloud", "account", "set", store, in: device)
            #expect(set.status == 0, "\(set)")
        }
        place = one
        other = two
    }

    @discardableResult
    func one(_ arguments: String...) throws -> Outcome { try apphome(arguments, in: place.device) }
    @discardableResult
    func two(_ arguments: String...) throws -> Outcome { try apphome(arguments, in: other.device) }

    @discardableResult
    func snap(_ options: String...) throws -> Outcome {
        let made = try apphome(["backup", "create", "--cloud"] + options, in: place.device)
        #expect(made.status == 0, "\(made)")
        return made
    }

    func fill(syncs: Bool = false) throws {
        #expect(try one("new", "Notes", "--group", "group.local.Notes").status == 0)
        let mount = ["mount", "Notes", path + "/m"] + (syncs ? [] : ["--no-sync"])
        #expect(try apphome(mount, in: place.device).status == 0)
        try write("then", to: "m/Documents/d/a")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o640], ofItemAtPath: path + "/m/Documents/d/a")
        try write(String(repeating: "0123456789", count: 90_000), to: "m/Documents/large")
        try write("kept too", to: "m/Library/b")
        try write("", to: "m/Documents/empty")
        try write("no", to: "m/Library/Caches/c")
        try write("no", to: "m/Documents/flagged")
        #expect(try one("skip-backup", "set", path + "/m/Documents/flagged").status == 0)
        try FileManager.default.createSymbolicLink(
            atPath: path + "/m/Documents/l", withDestinationPath: "d/a")
    }

    func mounted<Result>(_ body: () throws -> Result) throws -> Result {
        #expect(try one("mount", "Notes", path + "/m", "--no-sync").status == 0)
        let result = try body()
        #expect(try one("unmount", path + "/m").status == 0)
        return result
    }

    func write(_ text: String, to name: String) throws {
        let file = URL(fileURLWithPath: "\(path)/\(name)")
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    func read(_ name: String) -> String? { text("\(path)/\(name)") }

    func link(_ name: String) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "\(path)/\(name)")
    }

    /// The time that a snapshot is named by.
    func name(of made: Outcome) throws -> String {
        let range = try #require(made.output.range(of: "\"name\" : \""))
        return String(made.output[range.upperBound...].prefix { $0 != "\"" })
    }

    func seconds(_ time: String) -> Double {
        (try? Date(time, strategy: .iso8601))?.timeIntervalSince1970 ?? 0
    }
}
