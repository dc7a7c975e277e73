import Foundation
import Posix
import TestKit
import Testing

/// `apphome backup restore`, with and without sync.
@Suite(.serialized, .timeLimit(.minutes(5))) struct RestoreCommandTests {
    @Test(arguments: [false, true])
    func aRestoreBringsBackWhatTheBackupHasAndUndoWhatWasThere(encrypted: Bool) throws {
        let place = try Workplace()
        try place.make("Notes")
        try place.write("then", to: "m/Documents/a")
        try place.write("gone since", to: "m/Documents/d/b")
        let password = encrypted ? ["--password-file", try place.passwordFile()] : []
        try place.backUp(password + (encrypted ? ["--encrypt"] : []))
        try place.write("now", to: "m/Documents/a")
        try place.write("new", to: "m/Documents/c")
        try place.write("flagged", to: "m/Documents/kept")
        try place.run("skip-backup", "set", place.path + "/m/Documents/kept")
        try place.write("cache", to: "m/Library/Caches/x")
        try FileManager.default.removeItem(atPath: place.path + "/m/Documents/d")
        let refused = try place.run("backup", "restore", "--from", place.backups)
        #expect(refused.status == 1, "\(refused)")
        try place.unmount()
        let restored = try apphome(
            ["backup", "restore", "--from", place.backups, "Notes"] + password, in: place.device)
        #expect(restored.status == 0 && restored.output.contains("restored Notes"), "\(restored)")
        #expect(restored.output.contains("to have 2 files of before back"), "\(restored)")
        try place.mount()
        #expect(place.read("m/Documents/a") == "then" && place.read("m/Documents/d/b") == "gone since")
        #expect(place.read("m/Documents/c") == nil && place.read("m/Documents/kept") == "flagged")
        #expect(place.read("m/Library/Caches/x") == "cache")
        let flag = try place.run("skip-backup", "get", place.path + "/m/Documents/kept")
        #expect(flag.output.contains("skipped"), "\(flag)")
        try place.unmount()
        let undone = try place.run("backup", "restore", "--undo", "Notes")
        #expect(undone.status == 0, "\(undone)")
        try place.mount()
        #expect(place.read("m/Documents/a") == "now" && place.read("m/Documents/c") == "new")
    }

    @Test func aRestoreThatDidNotTakePlaceHasNoOlderOneTakenBackUnasked() throws {
        let place = try Workplace()
        try place.run("cloud", "account", "none")
        try place.make("Notes")
        try place.write("then", to: "m/Documents/a")
        try place.backUp()
        try place.write("now", to: "m/Documents/a")
        try place.unmount()
        func document() throws -> String? {
            try place.run("cp", "Notes:Documents/a", place.path + "/a")
            return place.read("a")
        }
        let restore = { try place.run("backup", "restore", "--from", place.backups, "Notes") }
        #expect(try restore().status == 0)
        // Every blob is another than its name says, by as many bytes.
        let blobs = try FileManager.default.subpathsOfDirectory(atPath: place.backups).filter {
            $0.split(separator: "/").last?.utf8.count == 40
        }
        for blob in blobs {
            let path = place.backups + "/" + blob
            let size = try Data(contentsOf: URL(filePath: path)).count
            try Data(repeating: 0x78, count: size + 1).write(to: URL(filePath: path))
        }
        let failed = try restore()
        #expect(failed.status == 1, "\(failed)")
        let refused = try place.run("backup", "restore", "--undo", "Notes")
        #expect(refused.status == 1 && refused.errors.contains("did not take place"), "\(refused)")
        #expect(try document() == "then")
        let undone = try place.run("backup", "restore", "--undo", "Notes", "--yes")
        #expect(undone.status == 0 && undone.output.contains("restore or reset of 20"), "\(undone)")
        #expect(try document() == "now")
    }

    /// The person has the answer before; nothing is left for a kill to lose.
    @Test(arguments: [false, true])
    func whatTheRestoreBeforeReplacedGoesAfterTheLastOneAlsoWhenTheDaemonIsKilled(killed: Bool) throws {
        let place = try Workplace()
        try place.run("cloud", "account", "none")
        try place.make("Notes")
        for index in 0..<300 { try place.write("then", to: "m/Documents/\(index)") }
        try place.backUp()
        try place.unmount()
        let replaced = place.device + "/Replaced"
        for round in 0..<3 {
            let restored = try place.run("backup", "restore", "--from", place.backups, "Notes")
            #expect(restored.status == 0, "\(restored)")
            guard killed, round == 1 else { continue }
            for id in place.daemonProcessIDs { kill(id, SIGKILL) }
            #expect(eventually { place.daemonProcessIDs.isEmpty })
            #expect(try place.run("list").status == 0)
            #expect(
                try eventually { try FileManager.default.contentsOfDirectory(atPath: replaced).count == 1 })
        }
        // No client is left, and the daemon stays until it is done.
        #expect(eventually { place.daemonProcessIDs.isEmpty })
        #expect(try FileManager.default.contentsOfDirectory(atPath: replaced).count == 1)
        #expect(try place.run("backup", "restore", "--undo", "Notes").status == 0)
        try place.mount()
        #expect(place.read("m/Documents/299") == "then")
    }

    @Test func anAppThatIsNotInstalledBecomesAPlaceholder() throws {
        let place = try Workplace()
        try place.run("new", "Ledger", "--group", "group.local.Ledger")
        try place.backUp()
        let other = place.path + "/other"
        #expect(try place.run("device", "create", other).status == 0)
        let restored = try apphome("backup", "restore", "--from", place.backups, in: other)
        #expect(
            restored.output == "restored local.Ledger as a placeholder (no bundle): 0 files, 1 group\n",
            "\(restored)")
        let listed = try apphome("list", in: other)
        #expect(listed.output.contains("placeholder"), "\(listed)")
        let new = try apphome("new", "Ledger", in: other)
        #expect(new.status == 1 && new.errors.contains("its data without a bundle; install"), "\(new)")
    }

    @Test func aPhonesBackupBecomesPlaceholdersAndADamagedAppKeepsNoOtherBack() throws {
        let place = try Workplace()
        func item(_ domain: String, _ path: String, _ text: String) -> [String: String] {
            ["domain": domain, "path": path, "kind": "file", "text": text]
        }
        try BackupProgram.make(
            [
                item("HomeDomain", "Library/SMS/sms.db", "no app's"),
                item("AppDomainPlugin-com.maker.notes.widget", "Documents/w", "an extension's"),
                item("AppDomain-com.maker.notes", "Documents/a", "note"),
                item("AppDomain-com.maker.notes", "tmp/t", "not restored"),
                item("AppDomainGroup-group.com.maker.notes.shared", "b", "shared"),
                item("AppDomainGroup-group.net.nobody", "c", "nobody's"),
                item("AppDomain-org.damaged", "../escape", "out"),
            ], in: place.path + "/phone")
        #expect(try place.run("device", "create", place.device).status == 0)
        let restored = try place.run("backup", "restore", "--from", place.path + "/phone")
        #expect(restored.status == 1, "\(restored)")
        #expect(
            restored.output.contains(
                "restored com.maker.notes as a placeholder (no bundle): 3 files, 1 group\n"), "\(restored)")
        #expect(restored.output.contains("for none here does: group.net.nobody\n"), "\(restored)")
        #expect(restored.errors.contains("warning: org.damaged: "), "\(restored)")
        let apps = try place.run("list", "--json")
        #expect(apps.output.contains("com.maker.notes") && !apps.output.contains("org.damaged"), "\(apps)")
        let files = FileManager.default.enumerator(atPath: place.device + "/Containers")
        let names = (files?.allObjects as? [String] ?? []).map { ($0 as NSString).lastPathComponent }
        #expect(
            ["a", "b", "c"].allSatisfy(names.contains) && !names.contains("t") && !names.contains("escape"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.device + "/Staging") == [])
        // The group is nobody's: it does not go with the app that it came with.
        #expect(try place.run("uninstall", "com.maker.notes", "--yes").status == 0)
        let groups = place.device + "/Containers/Shared/AppGroup"
        let group = try #require(try FileManager.default.contentsOfDirectory(atPath: groups).first)
        #expect(try String(contentsOfFile: "\(groups)/\(group)/c", encoding: .utf8) == "nobody's")
        // An app that is installed later has it.
        #expect(try place.run("new", "Nobody", "--group", "group.net.nobody").status == 0)
        let path = try place.run("group", "path", "Nobody", "group.net.nobody")
        let shown = path.output.trimmingCharacters(in: .newlines) + "/c"
        #expect(try String(contentsOfFile: shown, encoding: .utf8) == "nobody's", "\(path)")
    }

    @Test func aRestoreOfOneAppSaysWhichGroupsItLeaves() throws {
        let place = try Workplace()
        try place.run("new", "Ledger", "--group", "group.z")
        try place.backUp()
        let other = place.path + "/other"
        #expect(try place.run("device", "create", other).status == 0)
        let restored = try apphome(
            "backup", "restore", "--from", place.backups, "local.Ledger", in: other)
        #expect(restored.output.contains("group.z; to restore them too: --groups"), "\(restored)")
    }

    @Test func aGroupThatNoAppIsNamedAfterComesWhereThePersonSaysSo() throws {
        let place = try Workplace()
        try place.run("new", "Ledger", "--group", "group.z")
        try place.backUp()
        let other = place.path + "/other"
        #expect(try place.run("device", "create", other).status == 0)
        let without = try apphome("backup", "restore", "--from", place.backups, in: other)
        #expect(without.output.contains("placeholder (no bundle): 0 files\n"), "\(without)")
        let all = try apphome("backup", "restore", "--from", place.backups, "--groups", in: other)
        #expect(all.output.contains("0 files, 1 group\n") && !all.output.contains("left"), "\(all)")
        let path = try apphome("group", "path", "local.Ledger", "group.z", in: other)
        #expect(path.status == 0, "\(path)")
    }

    @Test func aMountedAppIsNotRestored() throws {
        let place = try Workplace()
        try place.make("Notes")
        try place.write("then", to: "m/Documents/a")
        try place.backUp()
        try place.write("now", to: "m/Documents/a")
        let refused = try place.run("backup", "restore", "--from", place.backups, "Notes")
        #expect(refused.status == 1 && refused.errors.contains("apphome unmount"), "\(refused)")
        #expect(place.read("m/Documents/a") == "now")
    }

    @Test func aPackageOfTheContainerGoesOutAndIn() throws {
        let place = try Workplace()
        try place.make("Notes")
        try place.write("then", to: "m/Documents/a")
        try place.write("cache", to: "m/Library/Caches/x")
        let package = place.path + "/Notes.xcappdata"
        let made = try place.run("backup", "create", "--xcappdata", package, "Notes")
        #expect(made.status == 0, "\(made)")
        try place.write("now", to: "m/Documents/a")
        try FileManager.default.removeItem(atPath: place.path + "/m/Library/Caches/x")
        try place.unmount()
        #expect(mkfifo(package + "/AppData/Documents/pipe", 0o644) == 0)
        let restored = try place.run("backup", "restore", "--xcappdata", package)
        #expect(restored.status == 0, "\(restored)")
        #expect(restored.output.contains("1 item of the package left out"), "\(restored)")
        #expect(restored.output.contains("nobody can read: Documents/pipe\n"), "\(restored)")
        try place.mount()
        #expect(place.read("m/Documents/a") == "then" && place.read("m/Library/Caches/x") == "cache")
    }

    /// SPEC 8: items that the backup lacks come back, items that differ are edits, nothing is deleted.
    @Test func anOldBackupRestoredOnOneOfTwoDevicesDeletesNothingOnEither() throws {
        let devices = try TwoDevices()
        try devices.mountBoth()
        let (here, there) = (devices.here, devices.there)
        try "old".write(toFile: here + "/edited", atomically: false, encoding: .utf8)
        try "same".write(toFile: here + "/same", atomically: false, encoding: .utf8)
        #expect(eventually { text(there + "/edited") == "old" && text(there + "/same") == "same" })
        try devices.place.backUp()
        try "newer".write(toFile: here + "/edited", atomically: false, encoding: .utf8)
        try FileManager.default.createDirectory(atPath: here + "/d", withIntermediateDirectories: true)
        try "later".write(toFile: here + "/d/late", atomically: false, encoding: .utf8)
        try "flagged".write(toFile: here + "/flagged", atomically: false, encoding: .utf8)
        #expect(try devices.place.run("skip-backup", "set", here + "/flagged").status == 0)
        #expect(eventually { text(there + "/edited") == "newer" && text(there + "/d/late") == "later" })
        try devices.unmountBoth()
        let restored = try devices.place.run("backup", "restore", "--from", devices.place.backups, "Notes")
        #expect(restored.status == 0, "\(restored)")
        try devices.mountBoth()
        #expect(text(here + "/edited") == "old")
        #expect(text(here + "/d/late") == "later" && text(here + "/flagged") == "flagged")
        #expect(eventually { text(there + "/edited") == "old" }, "\(text(there + "/edited") ?? "nil")")
        #expect(text(there + "/d/late") == "later" && text(there + "/same") == "same")
        #expect(text(here + "/d/late") == "later" && text(here + "/same") == "same")
        #expect(text(there + "/flagged") == nil)
        let conflicts = try apphome("cloud", "conflicts", "Notes", "--json", in: devices.second)
        #expect(!conflicts.output.contains("edited"), "\(conflicts)")
    }

    /// SPEC 8: what changed here and is not committed yet is journaled as edits first, its bytes kept.
    @Test(arguments: [false, true])
    func whatIsNotInTheCloudYetIsKeptBelowWhatARestoreBrings(killed: Bool) throws {
        let devices = try TwoDevices()
        try devices.mountBoth()
        let (here, there) = (devices.here, devices.there)
        try "old".write(toFile: here + "/a", atomically: false, encoding: .utf8)
        #expect(eventually { text(there + "/a") == "old" })
        #expect(rename(devices.store, devices.store + "-away") == 0)
        try "first".write(toFile: here + "/new.txt", atomically: false, encoding: .utf8)
        try devices.place.backUp()
        try "here alone".write(toFile: here + "/a", atomically: false, encoding: .utf8)
        try "second".write(toFile: here + "/new.txt", atomically: false, encoding: .utf8)
        try "since".write(toFile: here + "/since", atomically: false, encoding: .utf8)
        try devices.unmountBoth()
        let restored = try devices.place.run("backup", "restore", "--from", devices.place.backups, "Notes")
        #expect(restored.status == 0 && restored.output.contains("new (before restore).txt"), "\(restored)")
        if killed {
            #expect(try devices.place.run("mount", "Notes", devices.place.path + "/one").status == 0)
            for id in devices.place.daemonProcessIDs { kill(id, SIGKILL) }
            #expect(try devices.place.run("unmount", "--lazy", devices.place.path + "/one").status == 0)
        }
        #expect(rename(devices.store + "-away", devices.store) == 0)
        try devices.mountBoth()
        let expected = [
            "a": "old", "new.txt": "first", "new (before restore).txt": "second", "since": "since",
        ]
        for (name, content) in expected {
            #expect(
                eventually { text(there + "/" + name) == content && text(here + "/" + name) == content },
                "\(name)")
        }
        let conflicts = try apphome("cloud", "conflicts", "Notes", "--json", in: devices.second)
        #expect(!conflicts.output.contains("/a"), "\(conflicts)")
        let log = try apphome("cloud", "log", "Notes", in: devices.second)
        // What was here alone, and what came over it.
        let edits = log.output.split(separator: "\n").filter { $0.contains(" edit ") && $0.hasSuffix("  a") }
        #expect(edits.count == 2, "\(log)")
    }

    /// The store has all that was here: what the restore changes is told as edits when it is back.
    @Test(arguments: [false, true])
    func whileTheStoreIsAwayARestoreGoesOnAndIsToldLater(killed: Bool) throws {
        let devices = try TwoDevices()
        try devices.mountBoth()
        let (here, there) = (devices.here, devices.there)
        try "old".write(toFile: here + "/a", atomically: false, encoding: .utf8)
        #expect(eventually { text(there + "/a") == "old" })
        try devices.place.backUp()
        try "newer".write(toFile: here + "/a", atomically: false, encoding: .utf8)
        try "later".write(toFile: here + "/late", atomically: false, encoding: .utf8)
        #expect(eventually { text(there + "/a") == "newer" && text(there + "/late") == "later" })
        try devices.unmountBoth()
        #expect(try devices.place.run("cloud", "sync", "Notes", "--wait").status == 0)
        #expect(rename(devices.store, devices.store + "-away") == 0)
        let restored = try devices.place.run("backup", "restore", "--from", devices.place.backups, "Notes")
        #expect(restored.status == 0 && restored.output.contains("goes to the cloud later"), "\(restored)")
        if killed {
            for id in devices.place.daemonProcessIDs { kill(id, SIGKILL) }
            let place = devices.place.path
            #expect(try devices.place.run("mount", "Notes", place + "/one").status == 0)
            #expect(text(here + "/a") == "old" && text(here + "/late") == "later")
            for id in devices.place.daemonProcessIDs { kill(id, SIGKILL) }
            #expect(try devices.place.run("unmount", "--lazy", place + "/one").status == 0)
        }
        #expect(rename(devices.store + "-away", devices.store) == 0)
        try devices.mountBoth()
        #expect(eventually { text(there + "/a") == "old" }, "\(text(there + "/a") ?? "nil")")
        for place in [here, there] {
            #expect(text(place + "/late") == "later" && text(place + "/a") == "old")
        }
        let conflicts = try apphome("cloud", "conflicts", "Notes", "--json", in: devices.second)
        #expect(!conflicts.output.contains("/a"), "\(conflicts)")
    }
}

extension Workplace {
    func make(_ app: String) throws {
        #expect(try run("new", app).status == 0)
        #expect(try run("cloud", "account", "none").status == 0)
        try mount()
    }

    func mount() throws {
        let mounted = try run("mount", "Notes", path + "/m", "--no-sync")
        #expect(mounted.status == 0, "\(mounted)")
    }

    func unmount() throws {
        let unmounted = try run("unmount", path + "/m")
        #expect(unmounted.status == 0, "\(unmounted)")
    }

    func backUp(_ options: [String] = []) throws {
        let made = try apphome(["backup", "create", "--to", backups] + options, in: device)
        #expect(made.status == 0, "\(made)")
    }
}
