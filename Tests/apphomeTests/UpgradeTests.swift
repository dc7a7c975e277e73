import Foundation
import Posix
import TestKit
import Testing

/// Upgrading an app whose home is open.
@Suite(.serialized) struct UpgradeTests {
    @Test func anOpenHomeIsInTheWayUnlessItIsMovedOver() throws {
        let place = try Workplace()
        try Self.mount(place, version: "1.0")
        try Self.bundle(place, version: "2.0")
        let refused = try place.run("install", place.path + "/Recipes.app")
        #expect(refused.status == 1 && refused.errors.contains("EBUSY"), "\(refused)")
        #expect(refused.errors.contains("apphome unmount") && refused.errors.contains("--remount"))
        #expect(place.read("home/Recipes.app/Recipes.plist") == "recipes of 1.0")
        let moved = try place.run("install", place.path + "/Recipes.app", "--remount")
        #expect(moved.status == 0 && moved.output.contains("upgraded Recipes 2.0"), "\(moved)")
        #expect(place.read("home/Recipes.app/Recipes.plist") == "recipes of 2.0")
        try Self.bundle(place, version: "1.10")
        let back = try place.run("install", place.path + "/Recipes.app", "--remount")
        #expect(back.output.contains("downgraded Recipes 1.10"), "\(back)")
        try Self.bundle(place, version: "2.0")
        #expect(try place.run("install", place.path + "/Recipes.app", "--remount").status == 0)
        #expect(try Self.info(place)["version"] as? String == "2.0")
    }

    @Test func whatIsOpenInTheDataStaysOpenAndTmpIsSeenEmpty() throws {
        let place = try Workplace()
        try Self.mount(place, version: "1.0")
        let home = place.path + "/home"
        for name in ["Documents/Favourites.plist", "tmp/scrap", "tmp/d/e", "Library/Caches/c"] {
            let folder = ((home + "/" + name) as NSString).deletingLastPathComponent
            try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try "mine".write(toFile: home + "/" + name, atomically: false, encoding: .utf8)
        }
        let old = try #require(try Self.info(place)["home"] as? String)
        let open = try #require(FileHandle(forUpdatingAtPath: home + "/Documents/Favourites.plist"))
        let bundle = try #require(FileHandle(forReadingAtPath: home + "/Recipes.app/Recipes.plist"))
        try Self.bundle(place, version: "2.0")
        let moved = try place.run(
            "install", place.path + "/Recipes.app", "--remount", "--caches", "drop")
        #expect(moved.status == 0, "\(moved)")
        #expect(moved.output.contains("\(home) shows it now"), "\(moved)")
        #expect(try Self.info(place)["home"] as? String != old)
        for folder in ["tmp", "Library/Caches"] {
            #expect(try FileManager.default.contentsOfDirectory(atPath: home + "/" + folder) == [])
        }
        try open.seekToEnd()
        try open.write(contentsOf: Data(", still".utf8))
        #expect(place.read("home/Documents/Favourites.plist") == "mine, still")
        let read = try bundle.readToEnd() ?? Data()
        #expect(String(decoding: read, as: UTF8.self) == "recipes of 1.0")
        try open.close()
        try bundle.close()
        let bundles = place.device + "/Containers/Bundle/Application"
        #expect(try FileManager.default.contentsOfDirectory(atPath: bundles).count == 2)
        #expect(try place.run("unmount", home).status == 0)
        #expect(
            eventually { (try? FileManager.default.contentsOfDirectory(atPath: bundles).count) == 1 })
        #expect(try place.run("mount", "Recipes", home, "--no-sync").status == 0)
        #expect(place.read("home/Documents/Favourites.plist") == "mine, still")
    }

    /// The bundle's directory may have another name in the new version.
    @Test func theMountShowsTheNewBundlesNameAndNotTheOld() throws {
        let place = try Workplace()
        try Self.mount(place, version: "1.0")
        #expect(place.read("home/Recipes.app/Recipes.plist") != nil)
        try Self.bundle(place, version: "2.0", name: "Cookbook")
        let moved = try place.run("install", place.path + "/Cookbook.app", "--remount")
        #expect(moved.status == 0, "\(moved)")
        let top = try FileManager.default.contentsOfDirectory(atPath: place.path + "/home").sorted()
        #expect(top == ["Cookbook.app", "Documents", "Library", "tmp"])
        #expect(place.read("home/Recipes.app/Recipes.plist") == nil)
        #expect(place.read("home/Cookbook.app/Recipes.plist") == "recipes of 2.0")
        #expect(!FileManager.default.createFile(atPath: place.path + "/home/Cookbook.app/x", contents: nil))
        let again = try place.run("mount", "Cookbook", place.path + "/second")
        #expect(again.status == 1 && again.errors.contains("mounted once"), "\(again)")
    }

    @Test func aSharingViewIsNotMovedOverToAnAppThatSharesNothing() throws {
        let place = try Workplace()
        try Self.bundle(place, version: "1.0", shares: true)
        #expect(try place.run("install", place.path + "/Recipes.app").status == 0)
        #expect(try place.run("share", "mount", "Recipes", place.path + "/shared").status == 0)
        try Self.bundle(place, version: "2.0")
        let refused = try place.run("install", place.path + "/Recipes.app", "--remount")
        #expect(refused.status == 1 && refused.errors.contains("does not have that view"), "\(refused)")
        #expect(try Self.info(place)["version"] as? String == "1.0")
        try Self.bundle(place, version: "2.0", shares: true)
        #expect(try place.run("install", place.path + "/Recipes.app", "--remount").status == 0)
    }

    /// The new containers are the same files: nothing is a change, least of all a delete.
    @Test func syncGoesOnWithTheSameDocuments() throws {
        let place = try Workplace()
        #expect(try place.run("device", "create", place.device).status == 0)
        #expect(try place.run("cloud", "account", "set", "file://\(place.path)/store").status == 0)
        try Self.mount(place, version: "1.0", synced: true)
        let documents = place.path + "/home/Documents"
        for index in 0..<20 {
            try "text \(index)".write(toFile: documents + "/d\(index)", atomically: false, encoding: .utf8)
        }
        try Self.sync(place)
        let before = try place.run("cloud", "log", "Recipes").output
        #expect(before.contains("d19"), "\(before)")
        try Self.bundle(place, version: "2.0", shares: true)
        #expect(try place.run("install", place.path + "/Recipes.app", "--remount").status == 0)
        try Self.sync(place)
        #expect(try place.run("cloud", "log", "Recipes").output == before, "while it is mounted")
        #expect(try place.run("unmount", place.path + "/home").status == 0)
        try Self.bundle(place, version: "3.0", shares: true)
        #expect(try place.run("install", place.path + "/Recipes.app").status == 0)
        try Self.sync(place)
        #expect(try place.run("cloud", "log", "Recipes").output == before, "and while it is not")
        #expect(try place.run("mount", "Recipes", place.path + "/home").status == 0)
        try "late".write(toFile: documents + "/late", atomically: false, encoding: .utf8)
        try Self.sync(place)
        let after = try place.run("cloud", "log", "Recipes").output
        #expect(after.contains("late") && after.split(separator: "\n").count > 20, "\(after)")
    }

    private static func sync(_ place: borrowing Workplace) throws {
        let synced = try place.run("cloud", "sync", "Recipes", "--wait")
        #expect(synced.status == 0, "\(synced)")
    }

    private static func mount(
        _ place: borrowing Workplace, version: String, synced: Bool = false
    ) throws {
        try bundle(place, version: version)
        #expect(try place.run("install", place.path + "/Recipes.app").status == 0)
        let home = place.path + "/home"
        let mounted =
            synced
            ? try place.run("mount", "Recipes", home) : try place.run("mount", "Recipes", home, "--no-sync")
        #expect(mounted.status == 0, "\(mounted)")
    }

    private static func bundle(
        _ place: borrowing Workplace, version: String, name: String = "Recipes", shares: Bool = false
    ) throws {
        let folder = "\(place.path)/\(name).app"
        try? FileManager.default.removeItem(atPath: folder)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let values: [String: Any] = [
            "CFBundleIdentifier": "org.example.recipes", "CFBundleShortVersionString": version,
            "UIFileSharingEnabled": shares,
        ]
        try PropertyListSerialization.data(fromPropertyList: values, format: .xml, options: 0)
            .write(to: URL(fileURLWithPath: folder + "/Info.plist"))
        try "recipes of \(version)".write(
            toFile: folder + "/Recipes.plist", atomically: false, encoding: .utf8)
    }

    private static func info(_ place: borrowing Workplace) throws -> [String: Any] {
        try place.run("info", "org.example.recipes", "--json").object
    }
}
