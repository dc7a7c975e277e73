import Foundation
import TestKit
import Testing

/// `apphome purge`, and the watch for a full disk.
@Suite(.serialized) struct PurgeTests {
    /// Fills what is purged, and what is not; through a mount where `home` is one.
    private func fill(_ home: String) throws {
        let files = FileManager.default
        try files.createDirectory(atPath: home + "/Library/Caches/a/b", withIntermediateDirectories: true)
        try Data(count: 100_000).write(to: URL(fileURLWithPath: home + "/Library/Caches/a/b/deep"))
        for path in ["Library/Caches/flagged", "tmp/t", "Documents/d", "Library/l", "Library/Preferences/p"] {
            try Data("x".utf8).write(to: URL(fileURLWithPath: home + "/" + path))
        }
        // The daemon removes with the owner's rights what is his.
        for path in ["a", "a/b", "a/b/deep"] {
            #expect(chown(home + "/Library/Caches/" + path, RunPlace.ownerID, RunPlace.ownerID) == 0)
        }
    }

    private func expectPurged(_ home: String) throws {
        #expect(try names(home + "/Library/Caches") == [] && names(home + "/tmp") == [])
        #expect(try names(home + "/Documents") == ["d"])
        #expect(try names(home + "/Library") == ["Caches", "Preferences", "l"])
        #expect(try names(home + "/Library/Preferences") == ["p"])
    }

    @Test func aMountedHomeThatNobodyUsesIsPurgedAndSeesIt() throws {
        let place = try RunPlace()
        let home = place.work.path + "/home"
        #expect(try place.work.run("mount", "recipes", home, "--no-sync").status == 0)
        try fill(home)
        #expect(try place.work.run("skip-backup", "set", home + "/Library/Caches/flagged").status == 0)
        // The kernel knows the names now.
        #expect(try names(home + "/Library/Caches") == ["a", "flagged"])
        let purged = try place.work.run("purge", "--json")
        #expect(purged.status == 0, "\(purged)")
        try expectPurged(home)
        struct Report: Decodable { let name: String, freedBytes: Int64 }
        let reports = try JSONDecoder().decode([Report].self, from: Data(purged.output.utf8))
        #expect((reports.first { $0.name == "Recipes" }?.freedBytes ?? 0) >= 100_000, "\(purged)")
    }

    @Test func anAppWithAnOpenFileKeepsItsCaches() throws {
        let place = try RunPlace()
        let home = place.work.path + "/home"
        #expect(try place.work.run("mount", "recipes", home, "--no-sync").status == 0)
        try fill(home)
        let file = open(home + "/Documents/d", O_RDONLY)
        #expect(file >= 0)
        let refused = try place.work.run("purge", "--app", "recipes")
        #expect(refused.status == 1 && refused.errors.contains("is running"), "\(refused)")
        #expect(try place.work.run("purge").output.contains("running, kept"))
        #expect(try names(home + "/Library/Caches") == ["a", "flagged"])
        close(file)
        // The close reaches the daemon a moment later.
        #expect(try eventually { try place.work.run("purge", "--app", "recipes").status == 0 })
        try expectPurged(home)
    }

    @Test func anAppThatClosesItsLibraryKeepsNoOtherBack() throws {
        let place = try RunPlace()
        let closed = try place.work.run(
            "run", "recipes", "--", "sh", "-c", "echo x > ~/tmp/t; chmod 0 ~/Library")
        #expect(closed.status == 0, "\(closed)")
        let home = place.work.path + "/other"
        #expect(try place.work.run("mount", "other", home, "--no-sync").status == 0)
        try fill(home)
        let purged = try place.work.run("purge", "--json")
        #expect(purged.status == 0, "\(purged)")
        #expect(try names(home + "/Library/Caches") == [] && names(home + "/tmp") == [])
    }

    @Test func aProgramThatRunsKeepsThemAndLosesThemAfterItsEnd() throws {
        let place = try RunPlace()
        let caches = place.container + "/Library/Caches"
        let running = try place.waiting("one")
        #expect(
            try place.work.run("run", "recipes", "--", "sh", "-c", "echo x > ~/Library/Caches/c").status == 0)
        let refused = try place.work.run("purge", "--app", "recipes")
        #expect(refused.status == 1 && refused.errors.contains("sh, pid "), "\(refused)")
        #expect(try names(caches) == ["c"])
        try place.end("one", running)
        #expect(try eventually { try place.work.run("purge", "--app", "recipes").status == 0 })
        #expect(try names(caches) == [])
    }

    @Test func whatIsWantedIsTakenFromTheLargestAndTheRestStays() throws {
        let place = try RunPlace()
        #expect(
            try place.work.run(
                "run", "recipes", "--", "sh", "-c", "head -c 300000 /dev/zero > ~/Library/Caches/c"
            ).status == 0)
        #expect(
            try place.work.run(
                "run", "Other", "--", "sh", "-c", "head -c 100000 /dev/zero > ~/Library/Caches/c"
            ).status == 0)
        let purged = try place.work.run("purge", "--to-free", "200K")
        #expect(purged.output.contains("Recipes") && !purged.output.contains("Other"), "\(purged)")
        #expect(try place.work.run("purge", "--to-free", "50K").output.contains("Other"))
        #expect(try place.work.run("purge", "--to-free", "lots").status == 64)
    }

    @Test func aPurgeOfAllGoesOnWhileAppsAreReplacedAndRemoved() throws {
        let place = try RunPlace()
        // One daemon for all of it.
        #expect(
            try place.work.run("mount", "Other", place.work.path + "/other", "--no-sync").status == 0)
        let device = place.work.device
        let bundles = device + "/Containers/Bundle/Application"
        let installed = try #require(
            try FileManager.default.subpathsOfDirectory(atPath: bundles).first {
                $0.hasSuffix("/Recipes.app")
            })
        let bundle = place.work.path + "/Recipes.app"
        try FileManager.default.copyItem(atPath: bundles + "/" + installed, toPath: bundle)
        for round in 0..<15 {
            let purges = try (0..<3).map { _ in try start(["purge"], in: device) }
            let steps = [["install", bundle], ["uninstall", "recipes", "--yes"], ["install", bundle]]
            for step in round % 2 == 0 ? steps : [steps[0]] {
                let outcome = try apphome(step, in: device)
                #expect(outcome.status == 0, "\(step) \(outcome)")
            }
            for purge in purges {
                let outcome = try purge.wait()
                #expect(outcome.status == 0, "\(outcome)")
            }
        }
        // What is mounted is what lies there now.
        let home = place.work.path + "/home"
        #expect(try place.work.run("mount", "recipes", home, "--no-sync").status == 0)
        try fill(home)
        #expect(try names(place.container + "/Documents") == ["d"])
    }

    @Test func aDiskThatRunsLowIsPurgedByItself() throws {
        let place = try RunPlace()
        let caches = place.container + "/Library/Caches"
        #expect(
            try place.work.run(
                "run", "recipes", "--", "sh", "-c", "head -c 300000 /dev/zero > ~/Library/Caches/c"
            ).status == 0)
        // The daemon lives while something is mounted.
        let other = place.work.path + "/other"
        #expect(try place.work.run("mount", "Other", other, "--no-sync", "--low-disk", "99%").status == 0)
        #expect(try eventually { try names(caches) == [] })
        #expect(try place.work.run("device", "show").output.contains("99%"))
        #expect(try place.work.run("mount", "Other", other, "--low-disk", "few").status == 1)
    }
}
