import CLinux
import Foundation
import Glibc
import Posix
import SystemPackage
import TestKit
import Testing

@testable import sync_storm

/// A home that shows the conflict versions of its documents (`--conflicts visible`).
@Suite(.serialized, .timeLimit(.minutes(5))) struct VisibleConflictsTests {
    @Test func versionsLieBesideTheirDocumentsForReading() throws {
        let fleet = try Fleet(2, on: .folder)
        try fleet.mountAll("--no-sync")
        // More than one listing's worth.
        let many = (0..<120).map { "many/\($0).txt" }
        for device in fleet.devices { try makeFolder(device.documents + "/many") }
        try fleet.conflict(in: many + ["plan.txt"])
        let one = fleet.devices[0]
        try showConflicts(one)
        let names = try TestKit.names(in: one.documents)
        #expect(names.count == 3 && names.filter(isVersion).count == 1, "\(names)")
        let shown = try TestKit.names(in: one.documents + "/many")
        #expect(shown.count == 240 && Set(shown).count == 240 && shown.filter(isVersion).count == 120)
        for name in shown { #expect(access(one.documents + "/many/" + name, R_OK) == 0) }
        let version = one.documents + "/" + (try #require(names.first(where: isVersion)))
        let texts = try [version, one.documents + "/plan.txt"].map { try contents(of: $0) }
        #expect(Set(texts) == ["device 0", "device 1"])
        var status = stat()
        #expect(stat(version, &status) == 0 && status.st_size == 8 && status.st_mode == S_IFREG | 0o444)
        // In no other view, and in no backup.
        #expect(try TestKit.names(in: fleet.devices[1].documents) == ["many", "plan.txt"])
        #expect(try !one.tell("share", "ls", Fleet.app).contains("(conflict"))
        let backup = fleet.folder + "/backup"
        try one.tell("backup", "create", "--to", backup)
        #expect(try Self.isNamed("plan.txt", in: backup) && !Self.isNamed("(conflict", in: backup))
        #expect(try !one.tell("cloud", "ls", Fleet.app).contains("(conflict"))
        try refuseChanges(of: version, beside: one.documents + "/plan.txt")
        // To take it out is to make a document of it, as from any other file system.
        #expect(run("/bin/mv", version, one.documents + "/kept.txt") == 0)
        #expect(try contents(of: one.documents + "/kept.txt") == texts[0])
        // What it shows itself is more than the others show, so that they are not compared.
        try one.tell("cloud", "sync", Fleet.app, "--wait")
        #expect(try one.conflicts().map(\.path).sorted() == many.sorted())
        // To remove a directory is to remove the versions in it.
        #expect(run("/bin/rm", "-r", one.documents + "/many") == 0)
        #expect(try fleet.converge() == [])
        #expect(try one.conflicts().isEmpty)
        try fleet.unmountAll()
    }

    private func refuseChanges(of version: String, beside document: String) throws {
        for flags in [O_WRONLY, O_RDWR, O_RDONLY | O_TRUNC] {
            #expect(open(version, flags) == -1 && errno == EPERM)
        }
        #expect(chmod(version, 0o600) == -1 && errno == EPERM)
        #expect(setAttribute("user.a", [1], of: version) == .notPermitted)
        #expect(rename(document, version) == -1 && errno == EPERM)
        #expect(rename(version, document) == -1 && errno == EXDEV)
        #expect(link(version, document + "-link") == -1 && errno == EXDEV)
        #expect(symlink("a", version) == -1 && errno == EEXIST)
        #expect(open(version, O_CREAT | O_EXCL | O_WRONLY, 0o600) == -1 && errno == EEXIST)
    }

    @Test func whatIsRemovedWithoutTheStoreGoesOnceItIsThereAgain() throws {
        let fleet = try Fleet(2, on: .folder)
        try fleet.mountAll("--no-sync")
        for device in fleet.devices { try makeFolder(device.documents + "/folder") }
        try fleet.conflict(in: ["a", "folder/b"])
        let (one, two) = (fleet.devices[0], fleet.devices[1])
        try showConflicts(one)
        let before = try (contents(of: one.documents + "/a"), contents(of: two.documents + "/a"))
        #expect(before.0 == before.1)
        let store = fleet.folder + "/store"
        try FileManager.default.moveItem(atPath: store, toPath: store + "-away")
        let version = try #require(try TestKit.names(in: one.documents).first(where: isVersion))
        #expect(unlink(one.documents + "/" + version) == 0)
        #expect(unlink(one.documents + "/" + version) == -1 && errno == ENOENT)
        #expect(try TestKit.names(in: one.documents) == ["a", "folder"])
        #expect(try one.conflicts().map(\.path) == ["folder/b"])
        one.kill()
        try FileManager.default.moveItem(atPath: store + "-away", toPath: store)
        try showConflicts(one)
        #expect(try TestKit.names(in: one.documents) == ["a", "folder"])
        // The versions in it keep no directory.
        #expect(unlink(one.documents + "/folder/b") == 0)
        #expect(try TestKit.names(in: one.documents + "/folder").filter(isVersion).count == 1)
        #expect(rmdir(one.documents + "/folder") == 0)
        #expect(try fleet.converge() == [])
        #expect(try one.conflicts().isEmpty)
        #expect(try TestKit.names(in: two.documents) == ["a"])
        #expect(try contents(of: two.documents + "/a") == before.0)
        try fleet.unmountAll()
    }

    @Test func withoutSyncThereAreNone() throws {
        let fleet = try Fleet(1, on: .folder)
        let one = fleet.devices[0]
        let both = try one.run("mount", Fleet.app, one.point, "--conflicts", "visible", "--no-sync")
        #expect(both.status == 1 && both.errors.contains("without --no-sync"), "\(both)")
        let word = try one.run("mount", Fleet.app, one.point, "-o", "conflicts=some")
        #expect(word.status == 64 && word.errors.contains("want hidden, visible"), "\(word)")
    }

    /// Whether a backup's list has a name.
    private static func isNamed(_ text: String, in backup: String) throws -> Bool {
        let folder = try #require(try TestKit.names(in: backup).first { !$0.hasPrefix(".") })
        let list = FileManager.default.contents(atPath: "\(backup)/\(folder)/Manifest.db")
        return try #require(list).range(of: Data(text.utf8)) != nil
    }

    private func showConflicts(_ device: FleetDevice) throws {
        _ = try device.run("unmount", device.point)
        try device.mount(["-o", "conflicts=visible"])
        try device.tell("cloud", "sync", Fleet.app, "--wait", "--confirm-deletes")
    }

    private func isVersion(_ name: String) -> Bool { name.contains(" (conflict, ") }

    private func makeFolder(_ path: String) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }
}
