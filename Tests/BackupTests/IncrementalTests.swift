import CLinux
import Foundation
import Posix
import TestKit
import Testing

@testable import Backup

@Suite struct IncrementalTests {
    private static let domain = "AppDomain-org.example.recipes"

    /// inode of each blob, by its name.
    private func blobs(_ scratch: Scratch) -> [String: String] {
        let listed = run([
            "/usr/bin/find", scratch.file(scratch.backup), "-mindepth", "2", "-printf", "%f %i\n",
        ])
        return Dictionary(
            listed.output.split(separator: "\n").map { line in
                let parts = line.split(separator: " ")
                return (String(parts[0]), String(parts[1]))
            }
        ) { $1 }
    }

    @Test(arguments: [nil, "secret"])
    func `A second backup has second names for the blobs of what did not change`(password: String?) throws {
        let scratch = try Scratch()
        for name in ["same", "longer", "touched", "gone", "kind"] {
            try scratch.write("home/Documents/\(name)", name)
        }
        try scratch.backUp([try scratch.domain("home")], password: password)
        let before = blobs(scratch)
        try scratch.write("home/Documents/longer", "longer than it was")
        _ = run(["/bin/touch", "-d", "@1000000000", scratch.file("home/Documents/touched")])
        _ = run(["/bin/rm", scratch.file("home/Documents/gone")])
        try scratch.write("home/Documents/new", "new")
        let report = try scratch.backUp([try scratch.domain("home")], password: password)
        let after = blobs(scratch)
        #expect(report.files == 5)
        #expect(report.unchangedFiles == 2)
        #expect(after.filter { before[$0.key] == $0.value }.count == 2)
        try scratch.restore(scratch.backup, Self.domain, password: password)
        #expect(scratch.tree("restored") == scratch.tree("home"))
        #expect(try names(in: scratch.file("backups")) == [Scratch.identifier])
        _ = try PublicReader.extract(
            scratch.file(scratch.backup), to: scratch.file("out"), password: password)
        #expect(try scratch.read("out/\(Self.domain)/Documents/longer") == Array("longer than it was".utf8))
    }

    @Test func `A file written in the second in which the last backup began is read again`() throws {
        let scratch = try Scratch()
        try scratch.write("home/Documents/a", "one")
        let written = Double(try status(scratch.file("home/Documents/a")).st_ctim.tv_sec)
        try scratch.backUp([try scratch.domain("home")], seconds: written)
        #expect(try scratch.backUp([try scratch.domain("home")], seconds: written).unchangedFiles == 0)
        try scratch.backUp([try scratch.domain("home")], seconds: written + 1)
        #expect(try scratch.backUp([try scratch.domain("home")]).unchangedFiles == 1)
    }

    @Test(arguments: [nil, "secret"])
    func `Apps that are not backed up now stay as they were, unless they are to go`(password: String?) throws
    {
        let scratch = try Scratch()
        try scratch.write("one/Documents/a", "a")
        try scratch.write("two/Documents/b", "b")
        let one = try scratch.domain("one", "AppDomain-org.example.one")
        let two = try scratch.domain("two", "AppDomain-org.example.two")
        try scratch.backUp([one, two], password: password)
        // Of another length: dates of backups are ahead of the files here.
        try scratch.write("one/Documents/a", "AA")
        try scratch.write("two/Documents/b", "B")
        try scratch.backUp([one], password: password)
        let reader = try scratch.reader(scratch.backup, password: password)
        #expect(try reader.domains() == [one.domain, two.domain])
        #expect(reader.summary.apps.map(\.bundleID) == ["org.example.one", "org.example.two"])
        try scratch.restore(scratch.backup, one.domain, to: "r1", password: password)
        try scratch.restore(scratch.backup, two.domain, to: "r2", password: password)
        #expect(try scratch.read("r1/Documents/a") == Array("AA".utf8))
        #expect(try scratch.read("r2/Documents/b") == Array("b".utf8))
    }

    @Test func `Another password, and one where there was none, are refused with the old backup untouched`()
        throws
    {
        let scratch = try Scratch()
        try scratch.write("home/Documents/a", "a")
        let home = try scratch.domain("home")
        try scratch.backUp([home], password: "secret")
        let before = blobs(scratch)
        #expect(throws: BackupError.self) { try scratch.backUp([home], password: "other") }
        #expect(throws: BackupError.self) { try scratch.backUp([home]) }
        #expect(blobs(scratch) == before)
        #expect(try names(in: scratch.file("backups")) == [Scratch.identifier])
    }

    /// bindfs is one of them.
    @Test(.timeLimit(.minutes(1)))
    func `A file system that exchanges no names takes a first backup, and no second one`() throws {
        let scratch = try Scratch()
        try scratch.write("home/Documents/a", "one")
        let disk = try scratch.directory("disk")
        let shown = try scratch.directory("backups")
        // It goes on in the background, and keeps open what it is given: Foundation would wait for its end.
        let mounted = TestKit.run("/bin/sh", "-c", "exec bindfs '\(disk)' '\(shown)' >/dev/null 2>&1")
        #expect(mounted == 0)
        defer { _ = run(["/usr/bin/fusermount3", "-u", "-z", shown]) }
        let opened = SharedDescriptor(try scratch.open("backups"))
        #expect(try withExtendedLifetime(opened) { try !Renaming.canExchange(in: opened.raw) })
        try scratch.backUp([try scratch.domain("home")])
        #expect(try names(in: disk) == [Scratch.identifier])
        var copied = 0
        do {
            try scratch.backUp([try scratch.domain("home")]) { if $0 == .itemWritten { copied += 1 } }
            Issue.record("it was replaced")
        } catch let error as BackupError {
            #expect(
                error.kind == .refused && error.message.contains("cannot exchange two folders"), "\(error)")
        }
        #expect(copied == 0)
        #expect(try names(in: disk) == [Scratch.identifier])
        try scratch.restore(scratch.backup, Self.domain)
        #expect(try scratch.read("restored/Documents/a") == Array("one".utf8))
    }

    @Test func `Two runs into one folder follow each other`() throws {
        let scratch = try Scratch()
        try scratch.write("home/Documents/a", "old")
        let home = try scratch.domain("home")
        try scratch.backUp([home])
        for place in [BackupStep.prepared, .manifestWritten, .exchanged] {
            try scratch.write("home/Documents/a", "newer at \(place)")
            let other = SecondRun(scratch, home)
            try scratch.backUp([home]) { step in
                guard step == place else { return }
                other.begin()
                // It would build in the same place at once.
                usleep(100_000)
            }
            #expect(other.end() == nil)
            #expect(try names(in: scratch.file("backups")) == [Scratch.identifier])
            try scratch.restore(scratch.backup, Self.domain, to: "\(place)")
            let found = String(decoding: try scratch.read("\(place)/Documents/a"), as: UTF8.self)
            #expect(found == "newer at \(place)")
        }
    }

    @Test func `Who waits for long is told so, and what was ended leaves nothing`() throws {
        let scratch = try Scratch()
        try scratch.write("home/Documents/a", "old")
        let home = try scratch.domain("home")
        try scratch.backUp([home]) { step in
            guard step == .manifestWritten else { return }
            let folder = try scratch.open("backups")
            let error = #expect(throws: BackupError.self) {
                try FolderLock.hold(folder.raw, waitSeconds: 0.2, isWaiting: {}, {})
            }
            #expect(error?.kind == .refused)
        }
        let ended = #expect(throws: BackupError.self) {
            try scratch.backUp([home]) { step in
                if step == .manifestWritten { throw CancellationError() }
            }
        }
        #expect(ended?.kind == .cancelled)
        #expect(try names(in: scratch.file("backups")) == [Scratch.identifier])
    }

    @Test func `Who reads a backup reads on while a newer one takes its place`() throws {
        let scratch = try Scratch()
        try scratch.write("home/Documents/a", "old")
        let home = try scratch.domain("home")
        try scratch.backUp([home])
        func readOn() throws {
            let reader = try scratch.reader(scratch.backup)
            try scratch.write("home/Documents/a", "newer")
            try scratch.backUp([home])
            #expect(try reader.damage() == [])
            let item = try #require(try reader.item(in: Self.domain, at: "Documents/a"))
            #expect(try reader.content(of: item).next() == Array("old".utf8))
            let new = Scratch.identifier + ".new"
            #expect(try names(in: scratch.file("backups")) == [Scratch.identifier, new])
            let folder = try scratch.open("backups")
            let refused = #expect(throws: BackupError.self) {
                try FolderLock.makeRoom(folder.raw, new, waitSeconds: 0.2, isWaiting: {})
            }
            #expect(refused?.kind == .refused)
        }
        try readOn()
        try scratch.backUp([home])
        #expect(try names(in: scratch.file("backups")) == [Scratch.identifier])
        #expect(try scratch.reader(scratch.backup).damage() == [])
    }

    @Test(arguments: [nil, "secret"], [false, true])
    func `Killed at any step, the old backup or the new one is whole`(password: String?, isFull: Bool) throws
    {
        struct Killed: Error {}
        var step = 0
        var isEnded = false
        while !isEnded {
            step += 1
            let scratch = try Scratch()
            try scratch.write("home/Documents/a", "old")
            try scratch.write("home/Documents/b", "old")
            let home = try scratch.domain("home")
            if !isFull { try scratch.backUp([home], password: password) }
            try scratch.write("home/Documents/a", "newer")
            var count = 0
            do {
                // What is thrown leaves everything as a kill does: no step of a run undoes an earlier one.
                try scratch.backUp([home], password: password) { _ in
                    count += 1
                    if count == step { throw Killed() }
                }
                isEnded = true
            } catch let error as BackupError { #expect(error.kind == .system) }
            if isFull, !scratch.exists(scratch.backup) {
                #expect(try names(in: scratch.file("backups")).allSatisfy { $0.hasSuffix(".new") })
            } else {
                try scratch.restore(scratch.backup, Self.domain, to: "r", password: password)
                let found = String(decoding: try scratch.read("r/Documents/a"), as: UTF8.self)
                #expect(["old", "newer"].contains(found))
                #expect(try scratch.reader(scratch.backup, password: password).damage() == [])
                if step % 4 == 0 {
                    _ = try PublicReader.extract(
                        scratch.file(scratch.backup), to: scratch.file("out"), password: password)
                }
            }
            #expect(try names(in: scratch.file("scratch")) == [])
            // The next one goes over what is left.
            try scratch.backUp([home], password: password)
            #expect(try names(in: scratch.file("backups")) == [Scratch.identifier])
            try scratch.restore(scratch.backup, Self.domain, to: "again", password: password)
            #expect(try scratch.read("again/Documents/a") == Array("newer".utf8))
        }
        #expect(step > 10)
    }
}

/// A run that begins while another one is under way.
// Unchecked: one test has it, and reads the error after the run's end.
private final class SecondRun: @unchecked Sendable {
    private let scratch: Scratch
    private let home: DomainTree
    private let ended = DispatchSemaphore(value: 0)
    private var error: (any Error)?

    init(_ scratch: Scratch, _ home: DomainTree) { (self.scratch, self.home) = (scratch, home) }

    func begin() {
        Thread.detachNewThread {
            do { try self.scratch.backUp([self.home]) } catch { self.error = error }
            self.ended.signal()
        }
    }

    /// - Returns: what it failed with.
    func end() -> (any Error)? {
        ended.wait()
        return error
    }
}
