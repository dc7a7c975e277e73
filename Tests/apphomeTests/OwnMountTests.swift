import Foundation
import FuseKit
import TestKit
import Testing

/// A home that an ordinary user has mounted for himself: its kernel checks no mode bits, and the backing
/// files, which are asked instead, answer as the kernel would.
@Suite(.serialized) struct OwnMountTests {
    /// The user's device with a mounted home.
    private struct Place: ~Copyable {
        let work: Workplace
        private let run: ([String]) throws -> Outcome
        var home: String { work.path + "/home" }

        init(mounted: Bool = true) throws {
            let work = try Workplace()
            let run = try Self.prepare(work, mounted: mounted)
            self.run = run
            self.work = work
        }

        private static func prepare(
            _ work: borrowing Workplace, mounted: Bool
        ) throws -> ([String]) throws -> Outcome {
            let run = try work.ordinaryUser()
            #expect(try run(["new", "Notes", "--share"]).status == 0)
            let (home, shared) = (work.path + "/home", work.path + "/shared")
            if mounted {
                #expect(try run(["mount", "Notes", home, "--no-sync", "--share", shared]).status == 0)
            }
            return run
        }

        @discardableResult
        func check(_ arguments: [String]) throws -> Outcome {
            let outcome = try run(arguments)
            #expect(outcome.status == 0, "\(arguments): \(outcome)")
            return outcome
        }

        /// Runs a script of bash as the user.
        func shell(_ script: String) throws -> Outcome {
            try apphome(
                RunPlace.asOwner + ["/bin/bash", "-c", "cd \"$0\"; \(script)", home], in: work.device,
                program: "/usr/bin/env")
        }
    }

    /// What the kernel says of the mount at a directory.
    private func options(_ directory: String) throws -> [String] {
        let lines = try #require(text("/proc/self/mountinfo")).split(separator: "\n")
        let line = try #require(lines.last { $0.contains(" \(directory) ") })
        return line.split(separator: " ").last?.split(separator: ",").map(String.init) ?? []
    }

    @Test func theKernelChecksInEveryOtherMount() throws {
        let place = try Place()
        #expect(try !options(place.home).contains("default_permissions"))
        #expect(try options(place.work.path + "/shared").contains("default_permissions"))
        let sandboxed = try Place(mounted: false)
        let seen = try sandboxed.check(
            [
                "run", "Notes", "--no-sync", "--", "grep", "-c", "fuse.apphome.*default_permissions",
                "/proc/self/mountinfo",
            ])
        #expect(Int(seen.output.trimmingCharacters(in: .newlines)) ?? 0 > 0, "\(seen)")
    }

    @Test(.enabled(if: geteuid() == 0)) func rootsMountIsLeftToTheKernel() throws {
        let work = try Workplace()
        #expect(try work.run("new", "Notes").status == 0)
        for more in [[], ["--allow-other"]] {
            let mounted = try apphome(
                ["mount", "Notes", work.path + "/home", "--no-sync"] + more, in: work.device)
            #expect(mounted.status == 0, "\(mounted)")
            #expect(try options(work.path + "/home").contains("default_permissions"))
            #expect(try work.run("unmount", work.path + "/home").status == 0)
        }
    }

    /// EACCES, and no event: a rule is asked what the mode bits allow.
    @Test func modesComeBeforeRules() throws {
        let place = try Place()
        let container = try #require(
            try apphome(["info", "Notes", "--json"], in: place.work.device).object["home"] as? String)
        let prepared = try place.shell(
            """
            cd '\(container)/Documents' && mkdir -p Inbox/kept && touch Inbox/open Inbox/closed
            chmod 444 Inbox/closed && chmod 555 Inbox
            """)
        #expect(prepared.status == 0, "\(prepared)")
        let refused = try place.shell(
            """
            cd Documents/Inbox
            touch new; mkdir new; ln -s x new; mv kept other; : >closed; truncate -s 1 closed
            setfattr -n user.a -v 1 closed
            """)
        let lines = refused.errors.split(separator: "\n")
        #expect(lines.count == 7 && lines.allSatisfy { $0.hasSuffix("Permission denied") }, "\(refused)")
        #expect(try refusals(place) == 0)
        let ruled = try place.shell(
            "cd Documents/Inbox; : >open; truncate -s 1 open; chmod 600 closed; touch ../../x")
        let more = ruled.errors.split(separator: "\n")
        #expect(more.count == 4 && more.allSatisfy { $0.hasSuffix("Operation not permitted") }, "\(ruled)")
        #expect(try refusals(place) == 4)
    }

    /// How many refusals were told so far.
    private func refusals(_ place: borrowing Place) throws -> Int {
        let mark = "mark-\(UUID().uuidString)"
        #expect(try place.shell("mkdir \(mark)").status == 1)
        let watch = try start(["watch", "Notes", "--since", "1h", "--json"], in: place.work.device)
        defer {
            kill(watch.process.processIdentifier, SIGKILL)
            watch.process.waitUntilExit()
        }
        let told = watch.output(upTo: mark)
        return told.components(separatedBy: "\"refused\"").count - 1
            - told.components(separatedBy: "mark-").count + 1
    }

    /// A program that `run` confines in the mounted home; its bundle stays covered there, whatever is told to
    /// the kernel.
    @Test func aRunInTheMountedHomeHasItsModes() throws {
        let place = try Place()
        let script = """
            cd ~/Documents; mkdir d; echo x >d/f; cat d/f; ls -d ~/Notes.app; ls ~/Notes.app | wc -l
            chmod 0 d; cat d/f; ls d; (cd d); touch d/g; chmod 700 d; cat d/f; ls ~/Notes.app | wc -l
            """
        let outcome = try place.check(["run", "Notes", "--no-sync", "--", "bash", "-c", script])
        #expect(
            outcome.output.split(separator: "\n").filter { !$0.hasSuffix(".app") } == ["x", "0", "x", "0"],
            "\(outcome)")
        #expect(outcome.errors.components(separatedBy: "Permission denied").count == 5, "\(outcome)")
    }

    /// With walks beside it: an answer from before the change that a program takes only after it lets walks
    /// pass once more, and no longer than a moment.
    @Test func noWalkPassesADirectoryThatLostItsSearch() throws {
        let place = try Place()
        let outcome = try place.shell(
            """
            cd Documents; mkdir -p d/e; touch d/f d/e/g
            (while [ ! -e stop ]; do for path in d/f d/e/g d; do [ -e $path ]; done; done) &
            for ((turn = 0; turn < 200; turn++)); do
                [ -e d/f ] && [ -e d/e/g ] || echo missing
                chmod 0 d
                for ((try = 0; try < 100; try++)); do
                    [ -e d/f ] || [ -e d/e/g ] || break
                    sleep 0.02
                done
                ((try < 100)) || echo passed
                chmod 700 d
            done
            touch stop; wait; echo $turn
            """)
        #expect(outcome.output == "200\n", "\(outcome)")
    }
}
