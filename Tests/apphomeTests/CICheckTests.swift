import Foundation
import TestKit
import Testing

/// `apphome ci-check`, with the real sandbox and real mounts.
@Suite(.serialized, .timeLimit(.minutes(5))) struct CICheckTests {
    @Test func aCleanRunExitsZeroAndLeavesNothingBehind() throws {
        let place = try CheckPlace(tests: "pwd; cat Info.plist | head -1; echo own > ~/Documents/own\n")
        let outcome = try place.check("--bind", ".", "--", "./run-tests")
        #expect(outcome.status == 0, "\(outcome)")
        #expect(
            outcome.output.split(separator: "\n").map(String.init) == [
                place.checkout, #"<?xml version="1.0" encoding="UTF-8"?>"#,
                "Notes: nothing found; 1 file looked at",
            ])
        #expect(outcome.errors.contains("apphome: a backup would hold 4 B in 1 file\n"), "\(outcome)")
        #expect(place.leftovers == [])
    }

    @Test func findingsExitThreeAndTheCommandsOwnStatusComesFirst() throws {
        let place = try CheckPlace(tests: "echo $HOME > ~/Documents/path; exit $1\n")
        let found = try place.check("--bind", ".", "--", "./run-tests", "0")
        #expect(found.status == 3 && found.output.hasPrefix("error CONTAINER-PATH: "), "\(found)")
        let failed = try place.check("--bind", ".", "--purge-and-again", "--", "./run-tests", "7")
        #expect(failed.status == 7 && failed.output.hasPrefix("error CONTAINER-PATH: "), "\(failed)")
        #expect(!failed.errors.contains("again"))
        // A note, and no more.
        let note = "echo x > ~/Library/Caches/letter.pdf"
        #expect(try place.check("--", "sh", "-c", note).status == 0)
        #expect(try place.check("--fail-on", "note", "--", "sh", "-c", note).status == 3)
        #expect(place.leftovers == [])
    }

    /// The mistake: a session that is made once, and read without a question afterwards. Its twin makes it
    /// again.
    @Test func whatTheAppMissesAfterAPurgeIsNamedAndWhatItMakesAgainIsNot() throws {
        let place = try CheckPlace(
            tests: """
                cd ~/Library/Caches
                if ! test -f ../first; then mkdir db; for n in session again db/it; do echo x > $n; done; fi
                echo x > ../first
                mkdir -p db; cat session db/it >/dev/null; test -f again || echo x > again
                """)
        let once = try place.check("--bind", ".", "--", "./run-tests")
        #expect(once.status == 0 && !once.output.contains("PURGED-MISSED"), "\(once)")
        let again = try place.check(
            "--bind", ".", "--purge-and-again", "--fail-on", "warning", "--", "./run-tests")
        #expect(again.status == 3, "\(again)")
        let lines = again.output.split(separator: "\n").map(String.init)
        #expect(lines.first?.hasPrefix("warning PURGED-MISSED: ") == true, "\(again)")
        #expect(
            lines.dropFirst().prefix(3) == [
                "  Library/Caches/db/it: taken by the purge, looked for by cat, missing still",
                "  Library/Caches/session: taken by the purge, looked for by cat, missing still",
                "  fix: Make it again where it is missing; keep what cannot be made again in"
                    + " Library/Application Support.",
            ])
        #expect(again.errors.contains("apphome: after a purge, which freed"), "\(again)")
    }

    /// The mistake: an absolute path is stored at the first start, and used at the second. Its twin stores
    /// the part below the home.
    @Test(arguments: [("$HOME/Documents/list", 1), ("Documents/list", 0)])
    func anUpgradeMovesTheHomeAndAStoredPathIsFound(_ stored: String, _ errors: Int) throws {
        let place = try CheckPlace(
            tests: """
                cd; test -f Library/path || echo "\(stored)" > Library/path; echo x >> Documents/list
                """)
        let outcome = try place.check(
            "--bind", ".", "--upgrade-and-again", "--format", "json", "--", "./run-tests")
        #expect(outcome.status == (errors > 0 ? 3 : 0), "\(outcome)")
        #expect(try outcome.object["errors"] as? Int == errors)
        let schema = try JSONSchema(try apphome("json-schema", "ci-check", in: place.work.device).output)
        let value = try JSONDecoder().decode(JSONValue.self, from: outcome.outputBytes)
        #expect(schema.problems(of: value, as: "ci-check") == [])
        #expect(outcome.output.contains("that was, before an upgrade") == (errors > 0), "\(outcome)")
        #expect(outcome.errors.contains("the command, after an upgrade, exited with 0"), "\(outcome)")
    }

    @Test func aBackupThatIsTooLargeIsAFinding() throws {
        let place = try CheckPlace(tests: "head -c 5000 /dev/zero > ~/Documents/large; echo x > ~/tmp/x\n")
        let large = try place.check("--bind", ".", "--max-backup", "4999", "--", "./run-tests")
        #expect(large.status == 3, "\(large)")
        let line = "  Documents/large: 5.0 kB in 1 file, more than 5.0 kB: 5.0 kB of them are this file's\n"
        #expect(large.output.contains("error BACKUP-SIZE: ") && large.output.contains(line), "\(large)")
        #expect(try place.check("--bind", ".", "--max-backup", "5000", "--", "./run-tests").status == 0)
    }

    @Test func aBundleIsTheAppAndItsGroupsAreThoseOfTheEntitlements() throws {
        let place = try CheckPlace()
        mkdir(place.checkout + "/Notes.app", 0o755)
        try place.write(try #require(text(place.checkout + "/Info.plist")), "Notes.app/Info.plist")
        let groups =
            "<plist><dict><key>com.apple.security.application-groups</key>"
            + "<array><string>group.org.example</string></array></dict></plist>"
        try place.write(groups, "groups")
        let script = "pwd; ls /private/var/mobile/Containers/Shared/AppGroup | wc -l"
        let outcome = try place.start(
            ["apphome", "ci-check", "Notes.app/", "--entitlements", "groups", "--upgrade-and-again"]
                + ["--", "sh", "-c", script]
        ).wait()
        #expect(outcome.status == 0, "\(outcome)")
        let lines = outcome.output.split(separator: "\n")
        // Twice; nothing of the checkout is seen, so it starts in the bundle.
        #expect(lines.count == 5 && lines[1] == "1" && lines[3] == "1", "\(outcome)")
        #expect(lines[0].hasSuffix("/Notes.app") && lines[2].hasSuffix("/Notes.app") && lines[0] != lines[2])
        for (words, reason) in [
            (["Notes"], "Notes is no app"), (["missing.app"], "cannot install missing.app"),
            (["--from-plist", "missing"], "cannot read missing"),
        ] {
            let refused = try place.start(["apphome", "ci-check"] + words + ["--", "true"]).wait()
            #expect(refused.status == 125 && refused.errors.contains(reason), "\(refused)")
        }
        for words in [["Notes.app"], ["--", "true"], ["Notes.app", "--id", "x", "--", "true"]] {
            #expect(try place.start(["apphome", "ci-check"] + words).wait().status == 64)
        }
        #expect(place.leftovers == [])
    }

    @Test func whoeverIsEndedLeavesNoDevice() throws {
        let place = try CheckPlace(tests: "touch build/up; exec sleep 60\n")
        for (signal, status) in [(SIGINT, 130), (SIGKILL, SIGKILL)] {
            let running = try place.start(
                ["apphome", "ci-check", "--from-plist", "Info.plist", "--bind", ".:rw", "--", "./run-tests"])
            let up = place.checkout + "/build/up"
            #expect(eventually { FileManager.default.fileExists(atPath: up) })
            #expect(place.leftovers != [])
            kill(running.process.processIdentifier, signal)
            let outcome = try running.wait()
            #expect(outcome.status == status, "\(outcome)")
            if signal == SIGINT { #expect(place.leftovers == []) }
            #expect(eventually { place.leftovers == [] }, "\(place.leftovers)")
            try FileManager.default.removeItem(atPath: up)
        }
    }
}
