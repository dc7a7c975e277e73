import Foundation
import Testing

/// `apphome run --bind`: folders of the system that a program sees in the sandbox.
@Suite(.serialized, .timeLimit(.minutes(5))) struct BoundFolderTests {
    private func run(_ place: borrowing CheckPlace, _ words: [String]) throws -> Outcome {
        try place.start(["apphome", "run", "Notes", "--device", place.home + "/device"] + words).wait()
    }

    private func makeDevice(_ place: borrowing CheckPlace) throws {
        let made = try place.start(
            ["apphome", "new", "Notes", "--from-plist", "Info.plist", "--device", place.home + "/device"]
        ).wait()
        #expect(made.status == 0, "\(made)")
    }

    @Test func aFolderIsSeenWhereItLiesAndWrittenToOnlyWithRW() throws {
        let place = try CheckPlace(tests: "echo ran\n")
        try makeDevice(place)
        let script =
            "cat Info.plist | wc -c; touch x; echo $?; touch build/x; echo $?; ./run-tests; ls .. /tmp"
        let words = ["--cwd", place.checkout, "--", "sh", "-c", script]
        let unseen = try run(place, ["--", "cat", place.checkout + "/Info.plist"])
        #expect(unseen.status == 1 && unseen.errors.contains("No such file"), "\(unseen)")
        // Inside of the one that is read-only, and named before it.
        let outcome = try run(
            place, ["--bind", place.checkout + "/build:rw", "--bind", place.checkout] + words)
        #expect(outcome.status == 0, "\(outcome)")
        let lines = outcome.output.split(separator: "\n").map(String.init)
        #expect(lines.dropFirst().prefix(3) == ["1", "0", "ran"] && lines[0] != "0", "\(outcome)")
        // Of what lies beside it nothing is seen.
        #expect(lines.contains("checkout") && !lines.contains("home"), "\(outcome)")
        #expect(outcome.errors.contains("Read-only file system"), "\(outcome)")
        #expect(try names(place.checkout + "/build") == ["x"])
        let program = try run(place, ["--bind", place.checkout, "--", place.checkout + "/run-tests"])
        #expect(program.output == "ran\n", "\(program)")
    }

    @Test func whatIsAnotherAppsOrTheSandboxsOwnIsNotBound() throws {
        let place = try CheckPlace()
        try makeDevice(place)
        let device = place.home + "/device"
        for (folder, reason) in [
            (place.home, "which no app is shown"), (device, "no app is shown what lies in"),
            (device + "/Containers:rw", "no app is shown what lies in"), ("/proc", "is another one"),
            ("/", "is another one"), (place.checkout + "/missing", "no folder that is here"),
            (place.checkout + "/Info.plist", "no folder that is here"),
        ] {
            let refused = try run(place, ["--bind", folder, "--", "true"])
            #expect(refused.status == 125 && refused.errors.contains(reason), "\(folder): \(refused)")
        }
    }

    /// The home is covered there, and a checkout in it is seen all the same.
    @Test(.enabled(if: geteuid() == 0)) func aCheckoutInAHomeAmongTheFoldersOfTheSystemIsSeen() throws {
        let place = try CheckPlace()
        try makeDevice(place)
        let home = "/opt/apphome-test-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: home) }
        for folder in ["", "/project", "/other"] {
            try #require(mkdir(home + folder, 0o755) == 0)
            try #require(chown(home + folder, RunPlace.ownerID, RunPlace.ownerID) == 0)
        }
        let script = "ls -A \(home); touch \(home)/project/x \(home)/x"
        let outcome = try place.start(
            ["env", "HOME=" + home, "apphome", "run", "Notes", "--device", place.home + "/device"]
                + ["--bind", home + "/project:rw", "--", "sh", "-c", script]
        ).wait()
        #expect(outcome.output == "project\n", "\(outcome)")
        #expect(try names(home + "/project") == ["x"] && !names(home).contains("x"))
    }
}
