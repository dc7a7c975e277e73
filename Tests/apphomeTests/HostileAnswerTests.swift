import Foundation
import Posix
import PropertyLists
import TestKit
import Testing

@testable import Wire

/// What root's commands do with the answers of a daemon that is another user's own program.
@Suite(.serialized, .enabled(if: geteuid() == 0)) struct HostileAnswerTests {
    private static let uid: UInt32 = 4711

    /// He would keep it: a terminal, to read there what root types later; a file, to write on.
    @Test func standardOutputIsNotHandedOver() throws {
        let place = try Self.place()
        let standIn = try StandIn(device: place.device, owner: Self.uid) { _ in .done }
        let out = place.path + "/out"
        let words = "exec \"$0\" cloud cat Notes a <>\(out) >&0"
        let outcome = try apphome(["-c", words, program], in: place.device, program: "/bin/sh")
        #expect(outcome.status == 0, "\(outcome)")
        #expect(standIn.handedModes.map { $0 & S_IFMT } == [S_IFIFO])
    }

    private static let text = "\u{1b}]0;x\u{7}\u{9b}31m\u{202e}\r"
    private static let mount = MountReport(
        dir: text, pid: 1, kind: .home, data: text, dataReason: text, transport: text, transportReason: text)

    /// A terminal would obey, also where a program reads JSON.
    private static let answers: [([String], Answer)] = [
        (["device", "show"], .settings([Setting(key: text, value: text)])),
        (["list"], .apps([summary])), (["share", "ls"], .apps([summary])),
        (
            ["share", "ls", "Notes"],
            .items([SharedItem(name: text, kind: text, size: .min, modified: Timestamp(seconds: 1e300))])
        ),
        (["purge"], .purged([purged, purged])),
        (["cloud", "path", "Notes"], .cloud(.path(nil, reason: text, token: nil))),
        (
            ["cloud", "ls", "Notes"],
            .cloud(
                .items([
                    CloudItem(
                        path: text, kind: text, size: .min, modified: Timestamp(seconds: -1e300), status: text
                    )
                ]))
        ),
        (["cloud", "account", "show"], .cloud(.account(CloudAccountReport(url: text, notes: [text])))),
        (
            ["backup", "create", "--to", "."],
            .backup(
                .created(
                    BackupCreated(
                        name: text, apps: [text], files: .min, bytes: .min, unchangedFiles: .max,
                        leftOut: [BackupOmission(domain: text, path: text, reason: text)],
                        leftOutCount: .min)))
        ),
        (
            ["backup", "create", "--cloud"],
            .backup(.created(BackupCreated(name: text, sentBytes: .min, pruned: .min)))
        ),
        (["cloud", "sync"], .failure(CommandFailure(text))),
        (["defaults", "read", "Notes"], .preference(.dictionary([text: .array([.string(text)])]))),
    ]

    private static let summary = AppSummary(
        bundleID: text, name: text, version: text, sharing: Sharing(itunes: true, files: true),
        isPlaceholder: false, mounts: [mount],
        crashed: [CrashReport(app: text, dir: text, kind: .home, time: text)])
    private static let purged = PurgeReport(bundleID: text, name: text, freedBytes: .max, kept: text)

    @Test(arguments: answers.indices) func noAnswerReachesTheTerminalAsItIs(_ index: Int) throws {
        let (words, answer) = Self.answers[index]
        let place = try Self.place()
        let standIn = try StandIn(device: place.device, owner: Self.uid) { _ in answer }
        let takesJSON = !["path", "sync"].contains { words.contains($0) }
        for more in takesJSON ? [[], ["--json"]] : [[]] {
            let outcome = try apphome(
                ["-C", place.path, program] + words + more, in: place.device, program: "/usr/bin/env")
            #expect([0, 1].contains(outcome.status), "\(outcome)")
            let said = outcome.output + outcome.errors
            #expect(!said.unicodeScalars.contains { $0.isControl && $0 != "\n" }, "\(said.debugDescription)")
            #expect(!said.isEmpty)
        }
        #expect(standIn.count > 0)
    }

    /// A device's folder of his, without a daemon.
    private static func place() throws -> Workplace {
        let place = try Workplace()
        for path in [place.device, place.device + "/run"] {
            guard mkdir(path, 0o700) == 0, chown(path, uid, uid) == 0 else { throw POSIXError(.EPERM) }
        }
        return place
    }
}
