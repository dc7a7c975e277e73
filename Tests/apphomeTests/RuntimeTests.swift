import Foundation
import TestKit
import Testing

/// Programs in the languages that apps are written in, run by real runtimes: they find their folders where
/// iOS has them, and are refused what iOS refuses. `Tests/Runtimes` has them, and tables of what they print.
@Suite(.serialized) struct RuntimeTests {
    @Test func swiftFindsWhatAnAppForIOSFinds() throws {
        let guide = Bundle.main.bundleURL.appending(path: "foundation-guide")
        let place = try RunPlace(content: ["Guide": try Data(contentsOf: guide)])
        let run = ["--", "./Guide"]
        try Self.check(place, "Guide.swift", "linux", run)
        try Self.checkDefaultsAreKept(place, run)
    }

    @Test func monoFindsWhatAnAppForIOSFinds() throws {
        let place = try RunPlace(content: ["Guide.exe": try Self.compileForNET()])
        let run = ["--", "mono", "Guide.exe"]
        try Self.check(place, "Guide.cs", "mono", run)
        try Self.checkDefaultsAreKept(place, run, isPropertyList: false)
    }

    /// Before 8, which its settings say.
    @Test func dotnetFindsWhatAnAppForIOSFinds() throws {
        let settings = #"{"runtimeOptions":{"framework":{"name":"Microsoft.NETCore.App","version":"3.1.0"}}}"#
        let place = try RunPlace(content: [
            "Guide.exe": try Self.compileForNET(), "Guide.runtimeconfig.json": Data(settings.utf8),
        ])
        let printed = try Self.output(of: [Self.script("dotnet-runtime")])
        let runtime = try #require(printed.split(separator: "\n").last)
        let tools = place.work.path + "/tools"
        try FileManager.default.copyItem(atPath: String(runtime), toPath: tools)
        _ = try Self.output(of: ["chown", "-R", "\(RunPlace.ownerID)", tools])
        let run = [
            "--tool-home", tools, "--env", "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1", "--",
            "/tool-home/dotnet", "exec", "--runtimeconfig", "Guide.runtimeconfig.json", "Guide.exe",
        ]
        try Self.check(place, "Guide.cs", "core", run + ["xmlSerializer", "defaults"])
    }

    @Test func gnustepFindsWhatAnAppForIOSFindsAndKeepsItOverAnUpgrade() throws {
        let favourites = try PropertyListSerialization.data(
            fromPropertyList: ["a", "b"], format: .xml, options: 0)
        let place = try RunPlace(content: [
            "Guide": try Self.compileForGNUstep(), "Favourites.plist": favourites,
        ])
        let run = ["--for", "gnustep", "--", "./Guide"]
        try Self.check(place, "Guide.m", "gnustep", run)
        let installed = try place.work.run("install", try place.bundle(executable: "Guide"))
        #expect(installed.status == 0, "\(installed)")
        let again = try Self.run(place, ["--for", "gnustep"])
        #expect(again["favourites"] == "4" && again["defaults"] == "2" && again["favouritesCopied"] == nil)
        #expect(try place.work.run("defaults", "read", "recipes", "starts").output == "2\n")
    }

    @Test(arguments: [("guide.py", "python3"), ("guide.js", "node")])
    func scriptsFindTheHome(_ source: String, _ runtime: String) throws {
        let place = try RunPlace(content: [source: try Data(contentsOf: Self.folder.appending(path: source))])
        let run = ["--", runtime, source]
        try Self.check(place, source, runtime, run)
        try Self.checkDefaultsAreKept(place, run)
    }

    // MARK: Making the programs

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Runtimes")

    private static func script(_ name: String) -> String {
        folder.deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "mount-scripts/\(name)").path
    }

    private static func compileForNET() throws -> Data {
        try compile("Guide.cs") { "mcs -out:'\($1)' -r:System.Xml -r:System.Runtime.Serialization '\($0)'" }
    }

    private static func compileForGNUstep() throws -> Data {
        try compile("Guide.m") { source, made in
            "gcc '\(source)' -o '\(made)' $(gnustep-config --objc-flags) $(gnustep-config --base-libs)"
        }
    }

    private static func compile(
        _ source: String, _ command: (_ source: String, _ made: String) -> String
    ) throws -> Data {
        let made = try TemporaryFolder()
        _ = try output(
            of: ["sh", "-c", command(folder.appending(path: source).path, made.path + "/made") + " 2>&1"])
        return try Data(contentsOf: URL(filePath: made.path + "/made"))
    }

    /// - Throws: where it fails, or is not there.
    private static func output(of command: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(command): \(text)")
        return text
    }

    // MARK: Running them

    /// What a program printed, by its names, with `~` for the home and `.` for the bundle.
    private static func run(_ place: borrowing RunPlace, _ arguments: [String]) throws -> [String: String] {
        let outcome = try apphome(["run", "recipes"] + arguments, in: place.work.device)
        #expect(outcome.status == 0, "\(outcome)")
        let home = "/var/mobile/Containers/Data/Application/" + place.container.split(separator: "/").last!
        let bundles = #//var/containers/Bundle/Application/[0-9A-F-]+/Recipes.app/#
        let text = outcome.output.replacing("/private/var", with: "/var").replacing(home, with: "~")
            .replacing(bundles, with: ".")
        let lines = text.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 1) }
        return Dictionary(
            lines.map { (String($0[0]), $0.count > 1 ? String($0[1]) : "") }, uniquingKeysWith: { $1 })
    }

    /// Runs it once more, which counts its starts.
    /// - Parameter isPropertyList: they lie where an app's do on iOS, so that `apphome defaults` finds them.
    private static func checkDefaultsAreKept(
        _ place: borrowing RunPlace, _ arguments: [String], isPropertyList: Bool = true
    ) throws {
        #expect(try run(place, arguments)["defaults"] == "2")
        let read = try place.work.run("defaults", "read", "recipes", "starts")
        #expect(isPropertyList ? read.output == "2\n" : read.status == 1, "\(read)")
    }

    /// Compares what it prints with the table of what it prints on iOS, and the differences listed there.
    private static func check(
        _ place: borrowing RunPlace, _ source: String, _ runtime: String, _ arguments: [String]
    ) throws {
        let table = try String(contentsOf: folder.appending(path: source + ".table"), encoding: .utf8)
        var expected: [String: String] = [:]
        for line in table.split(separator: "\n") where !line.hasPrefix("#") {
            let columns = line.split(separator: " |").map { $0.trimmingCharacters(in: .whitespaces) }
            let own = columns.dropFirst(2).first { $0.hasPrefix(runtime + "=") }
            let value = own.map { String($0.dropFirst(runtime.count + 1)) }
            #expect(value != columns[1], "\(line): no difference")
            expected[columns[0]] = value ?? columns[1]
        }
        let printed = try run(place, arguments)
        for (name, value) in expected {
            #expect(printed[name] ?? "" == value, "\(source) by \(runtime): \(name)")
        }
        #expect(Set(printed.keys).subtracting(expected.keys) == [])
    }
}
