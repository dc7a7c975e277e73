import Foundation
import TestKit
import Testing

/// Devices as a person handles them: with simctl's words.
@Suite(.serialized) struct DeviceCommandTests {
    /// Runs commands on devices with names, which lie in a place of their own.
    private struct Shelf: ~Copyable {
        let place: Workplace
        init() throws { place = try Workplace() }
        var home: String { place.device + "-home" }
        var devices: String { home + "/.local/share/apphome/devices" }

        func run(_ arguments: String...) throws -> Outcome {
            // Commands take HOME from this path; --device is a name then.
            try apphome(arguments, in: place.device)
        }
    }

    @Test func devicesAreListedRenamedErasedAndDeleted() throws {
        let shelf = try Shelf()
        #expect(try shelf.run("device", "list").output == "")
        for name in ["work", "play"] { #expect(try shelf.run("device", "create", name).status == 0) }
        let (home, again) = (shelf.place.path + "/home", ["device", "rename", "work", "play"])
        #expect(try shelf.run("new", "Notes", "--share", "--device", "work").status == 0)
        #expect(try shelf.run("mount", "Notes", home, "--device", "work", "--no-sync").status == 0)
        let listed = try shelf.run("device", "list").output
        #expect(listed.contains("work  running, 1 mount"), "\(listed)")
        #expect(try shelf.run("list", "--all").output == "work  home  Notes  \(home)\n")
        let held = try shelf.run("device", "rename", "work", "other")
        #expect(held.status == 1 && held.errors.contains("unmount --all --device work"), "\(held)")
        #expect(try shelf.run("unmount", "--all", "--device", "work").status == 0)
        #expect(try apphome(again, in: shelf.place.device).errors.contains("a device play already"))
        #expect(try shelf.run("device", "rename", "work", "other").status == 0)
        #expect(try names(shelf.devices) == ["other", "play"])
        #expect(try shelf.run("list", "--device", "other").output.contains("Notes"))

        let asked = try shelf.run("device", "erase", "other")
        #expect(asked.status == 1 && asked.errors.contains("--yes to lose the data of 1 app"), "\(asked)")
        #expect(try shelf.run("list", "--device", "other").output.contains("Notes"))
        #expect(try shelf.run("device", "erase", "other", "--yes").status == 0)
        #expect(try names(shelf.devices + "/other") == ["run"])
        // An erased one is cloned as any other, and what a killed erasure left goes with the next start.
        #expect(try shelf.run("device", "clone", "other", shelf.place.path + "/copy/").status == 0)
        let left = shelf.devices + "/other/.removed-1"
        #expect(mkdir(left, 0o700) == 0)
        #expect(try shelf.run("list", "--device", "other").output == "")
        #expect(!FileManager.default.fileExists(atPath: left))
        #expect(try shelf.run("device", "delete", "other", "--yes").status == 0)
        #expect(try names(shelf.devices) == ["play"])
        let gone = try shelf.run("list", "--device", "other")
        #expect(gone.status == 1 && gone.errors.contains("did you mean"), "\(gone)")
    }

    @Test func aDeletedDeviceIsForgotten() throws {
        let shelf = try Shelf()
        let (phone, home) = (shelf.place.path + "/phone", shelf.place.path + "/home")
        let known = shelf.devices + "/../by-id"
        for device in [phone, "work"] {
            #expect(try shelf.run("new", "Notes", "--device", device).status == 0)
            #expect(try shelf.run("mount", "Notes", home, "--device", device, "--no-sync").status == 0)
            #expect(try shelf.run("unmount", home).status == 0)
        }
        #expect(try names(known).count == 2)
        for device in [phone, "work"] {
            #expect(try shelf.run("device", "delete", device, "--yes").status == 0)
        }
        #expect(try names(known) == [])
    }

    /// The disk that the device lies on can be unmounted then. Five times: it may end as fast by itself.
    @Test func afterUnmountAllNothingServesTheDevice() throws {
        let place = try Workplace()
        #expect(try place.run("new", "Notes").status == 0)
        for turn in 0..<5 {
            #expect(try place.run("mount", "Notes", place.path + "/n").status == 0)
            let unmounted = try place.run("unmount", "--all")
            #expect(unmounted.status == 0, "\(unmounted)")
            #expect(place.daemonProcessIDs == [], "turn \(turn)")
        }
    }

    @Test func deletingADeviceTakesNothingElseThatLiesBesideIt() throws {
        let shelf = try Shelf()
        let folder = shelf.place.path + "/mine"
        #expect(mkdir(folder, 0o700) == 0)
        #expect(try shelf.run("device", "create", folder + "/phone").status == 0)
        let others = [".notes.removed-1", ".phone.removed-by-hand", ".phone2.removed-1"]
        for name in others + [".phone.removed-1"] { #expect(mkdir(folder + "/" + name, 0o700) == 0) }
        #expect(try shelf.run("device", "delete", folder + "/phone", "--yes").status == 0)
        // What an earlier removal of the same device left goes.
        #expect(try names(folder) == others)
    }

    @Test func aCloneHasTheDataAndIsADeviceOfItsOwn() throws {
        let shelf = try Shelf()
        #expect(try shelf.run("device", "create", "work").status == 0)
        #expect(try shelf.run("new", "Notes", "--share", "--device", "work").status == 0)
        try "dear".write(toFile: shelf.place.path + "/letter", atomically: false, encoding: .utf8)
        let put = try shelf.run("share", "put", "Notes", shelf.place.path + "/letter", "--device", "work")
        #expect(put.status == 0, "\(put)")
        let synced = try shelf.run("cloud", "sync", "Notes", "--wait", "--device", "work")
        #expect(synced.status == 0, "\(synced)")
        let cloned = try shelf.run("device", "clone", "work", "copy")
        #expect(cloned.status == 0 && cloned.output.contains("signed out"), "\(cloned)")
        #expect(try names(shelf.devices + "/copy").contains("Clone") == false)
        let read = try shelf.run("share", "get", "Notes", "letter", "-", "--device", "copy")
        #expect(read.output == "dear", "\(read)")
        let ids = try ["work", "copy"].map {
            try #require(try shelf.run("device", "show", "--json", "--device", $0).object["id"] as? String)
        }
        #expect(ids[0] != ids[1])
        let account = try shelf.run("cloud", "account", "show", "--json", "--device", "copy")
        #expect(try account.object["url"] as? String == "none", "\(account)")
        // What one does is not the other's; and the clone syncs as another device, with nothing twice.
        #expect(try shelf.run("share", "rm", "Notes", "letter", "--device", "copy").status == 0)
        #expect(try shelf.run("share", "get", "Notes", "letter", "-", "--device", "work").output == "dear")
        #expect(try shelf.run("device", "clone", "work", "third").status == 0)
        let store = "file://" + shelf.home + "/.local/share/apphome/cloud"
        #expect(try shelf.run("cloud", "account", "set", store, "--device", "third").status == 0)
        let joined = try shelf.run("cloud", "sync", "Notes", "--wait", "--device", "third")
        #expect(joined.status == 0, "\(joined)")
        for device in ["work", "third"] {
            let items = try shelf.run("share", "ls", "Notes", "--device", device).output
            #expect(items.split(separator: "\n").count == 1 && items.hasSuffix("letter\n"), "\(items)")
        }
        #expect(try shelf.run("device", "clone", "work", "third").errors.contains("already"))
        #expect(try shelf.run("device", "log", "-n", "1", "--device", "work").output.contains("ended"))
    }

    @Test func anInterruptChangesNothingOnceACloneIsThere() throws {
        let shelf = try Shelf()
        #expect(try shelf.run("device", "create", "work").status == 0)
        let cloning = try start(["device", "clone", "work", "copy"], in: shelf.place.device)
        let copy = shelf.devices + "/copy"
        #expect(eventually { FileManager.default.fileExists(atPath: copy) })
        // Its daemon, which the command still waits for, has only begun to start.
        #expect(kill(cloning.process.processIdentifier, SIGINT) == 0)
        let cloned = try cloning.wait()
        #expect(cloned.status == 0 && cloned.output.contains("copy is a copy of work"), "\(cloned)")
        #expect(try shelf.run("list", "--device", "copy").status == 0)
    }

    @Test func copiesGoIntoAndOutOfAHomeByItsRules() throws {
        let place = try Workplace()
        try place.run("new", "Notes")
        let folder = place.path + "/Fixtures"
        try FileManager.default.createDirectory(atPath: folder + "/deep", withIntermediateDirectories: true)
        try "one".write(toFile: folder + "/deep/a", atomically: false, encoding: .utf8)
        func copy(_ words: String...) throws -> Outcome { try apphome(["cp"] + words, in: place.device) }
        let a = folder + "/deep/a"
        #expect(try copy(a, "Notes:Documents/").status == 0)
        #expect(try copy(a, "Notes:Library/Preferences/b.plist").status == 0)
        #expect(try copy("-r", folder, "Notes:Library/Caches").status == 0)
        #expect(try copy("Notes:Library/Caches/Fixtures/deep/a", place.path + "/back").status == 0)
        #expect(text(place.path + "/back") == "one")
        try "two".write(toFile: a, atomically: false, encoding: .utf8)
        #expect(try copy(a, "Notes:Documents/a").status == 0)
        #expect(try copy("-r", "Notes:Documents", place.path + "/out").status == 0)
        #expect(text(place.path + "/out/a") == "two")
        // A file takes the place of no folder, and what only the system sees is nobody's to copy.
        try FileManager.default.createDirectory(
            atPath: place.path + "/d/a", withIntermediateDirectories: true)
        try "mine".write(toFile: place.path + "/d/a/mine", atomically: false, encoding: .utf8)
        let data = try place.run("info", "Notes", "--json").object["home"] as? String ?? ""
        try "s".write(toFile: data + "/SystemData/s", atomically: false, encoding: .utf8)
        // Into a folder that is there, under its own name.
        #expect(try copy("-r", "Notes:Documents", place.path + "/out").status == 0)
        #expect(text(place.path + "/out/Documents/a") == "two")
        for (words, reason) in [
            ([folder, "Notes:Documents"], "-r"), (["-r", folder, "Notes:Library/Caches"], "--force"),
            ([a, "Notes:x"], "Documents, Library or tmp"),
            ([a, "Notes:SystemData/x"], "Documents, Library or tmp"),
            (["-r", "Notes:Documents", place.path + "/out"], "--force"),
            (["Notes:Documents/../../x", place.path], "no such item"),
            (["Notes:SystemData", "-r", place.path], "no such item"),
            (["Notes:SystemData/s", place.path], "no such item"),
            (["Notes:Documents/a", place.path + "/d"], "--force"),
            ([a, "Notes:Documents/no/b"], "no such item or folder"),
            (["Notes:Notes.app/Info.plist", place.path], "apphome path Notes bundle"),
            ([a, "Notes:Notes.app/"], "nobody changes it"),
        ] {
            let refused = try apphome(["cp"] + words, in: place.device)
            #expect(refused.status == 1 && refused.errors.contains(reason), "\(words): \(refused)")
        }
        #expect(text(place.path + "/d/a/mine") == "mine")
        #expect(try copy("a", "b").status == 64)
        #expect(try copy("--force", "-r", folder, "Notes:Library/Caches").status == 0)
    }

    @Test func aCopyGoesFromStandardInputAndToStandardOutput() throws {
        let place = try Workplace()
        try place.run("new", "Notes")
        func shell(_ words: String) throws -> Outcome {
            let script = "cd '\(place.path)' && export TMPDIR=$PWD && "
            return try apphome(
                ["-c", script + words.replacing("APPHOME", with: "'\(program)'")], in: place.device,
                program: "/bin/sh")
        }
        let there = try shell(
            "echo dear | APPHOME cp - Notes:Library/letter && APPHOME cp Notes:Library/letter -")
        #expect(there.status == 0 && there.output == "dear\n" && there.errors == "", "\(there)")
        // Who reads no further has got what they wanted.
        #expect(try shell("APPHOME cp Notes:Library/letter - | true").errors == "")
        for (words, status, reason) in [
            ("- Notes:Library", Int32(1), "cannot copy standard input to Notes:Library: a folder"),
            ("- Notes:Library/", 64, "- wants a name"), ("Notes:Library -", 1, "a folder"),
            ("-r Notes:Library -", 64, "- is one file"), ("- letter Notes:Library", 64, "- is one file"),
            ("Notes:Library/no -", 1, "no such item"),
        ] {
            let refused = try shell("APPHOME cp \(words) < /dev/null")
            #expect(refused.status == status && refused.errors.contains(reason), "\(words): \(refused)")
        }
        // Neither a file of that name nor what it was kept in.
        #expect(try names(place.path) == ["device"])
    }

    @Test func anAppIsMadeAnewUnderAnOpenMountAndKeepsItsData() throws {
        let place = try Workplace()
        let (content, home) = (place.path + "/content", place.path + "/n")
        #expect(mkdir(content, 0o755) == 0)
        try "first".write(toFile: content + "/page", atomically: false, encoding: .utf8)
        #expect(try place.run("new", "Notes", "--content", content).status == 0)
        #expect(try place.run("mount", "Notes", home).status == 0)
        try "dear".write(toFile: home + "/Documents/letter", atomically: false, encoding: .utf8)
        try "second".write(toFile: content + "/page", atomically: false, encoding: .utf8)
        let refused = try place.run("new", "Notes", "--content", content)
        #expect(refused.status == 1 && refused.errors.contains("--replace"), "\(refused)")
        let made = try place.run("new", "Notes", "--content", content, "--replace")
        #expect(made.status == 0 && made.output.contains("installed again: Notes"), "\(made)")
        #expect(text(home + "/Notes.app/page") == "second" && text(home + "/Documents/letter") == "dear")
        for name in ["a/b", "", ".x"] {
            let unfit = try place.run("new", name)
            #expect(unfit.status == 1 && unfit.errors.hasSuffix("; give another name\n"), "\(unfit)")
        }
        let twin = try place.run("new", "Notes", "--id", "org.example.Notes")
        #expect(twin.output.contains("2 apps have that name"), "\(twin)")
    }

    @Test func anAppIsResetAndThatIsTakenBack() throws {
        let place = try Workplace()
        try place.run("new", "Notes", "--share")
        try "dear".write(toFile: place.path + "/letter", atomically: false, encoding: .utf8)
        for target in ["Notes:Documents/", "Notes:Library/Preferences/"] {
            #expect(try place.run("cp", place.path + "/letter", target).status == 0)
        }
        #expect(try place.run("mount", "Notes", place.path + "/n").status == 0)
        let busy = try place.run("reset", "Notes")
        #expect(busy.status == 1 && busy.errors.contains("and cannot be reset now"), "\(busy)")
        #expect(try place.run("unmount", "Notes").status == 0)
        let reset = try place.run("reset", "Notes")
        #expect(reset.status == 0 && reset.output.contains("--undo"), "\(reset)")
        let data = try place.run("path", "Notes", "data").output.trimmingCharacters(in: .newlines)
        #expect(try names(data) == ["Documents", "Library", "tmp"])
        #expect(try names(data + "/Documents") == [] && names(data + "/Library/Preferences") == [])
        #expect(try place.run("path", "Notes").output == data + "\n")
        let bundle = try place.run("path", "Notes", "bundle").output.trimmingCharacters(in: .newlines)
        #expect(try names(bundle).contains("Info.plist"))
        #expect(try place.run("unmount", "Notes").status == 0)
        #expect(mounts(below: place.path) == [])
        let undone = try place.run("backup", "restore", "--undo", "Notes")
        #expect(undone.status == 0 && undone.output.contains("the restore or reset of 20"), "\(undone)")
        #expect(try place.run("share", "get", "Notes", "letter", "-").output == "dear")
    }
}
