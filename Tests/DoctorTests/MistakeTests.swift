import Foundation
import HomeTree
import SandboxRules
import TestKit
import Testing

@testable import Doctor

/// For each code: a mistake that has exactly that one, and what comes nearest to it and is right.
@Suite struct MistakeTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        /// The only code, and where it is found; nil: nothing is.
        let expected: (code: FindingCode, paths: [String])?
        let make: @Sendable (inout Patient) throws -> Void

        init(
            _ name: String, _ code: FindingCode, _ paths: String...,
            make: @escaping @Sendable (inout Patient) throws -> Void
        ) {
            (self.name, expected, self.make) = (name, (code, paths), make)
        }

        /// A twin.
        init(right name: String, make: @escaping @Sendable (inout Patient) throws -> Void) {
            (self.name, expected, self.make) = (name, nil, make)
        }

        var testDescription: String { name }
    }

    private static let table = "CREATE TABLE t(a INTEGER PRIMARY KEY, b); INSERT INTO t VALUES(1, 'x');"
    private static let both = SharingKeys(itunes: true, opensInPlace: true, documentBrowser: false)

    static let names: [Case] = [
        Case("two names in two cases", .nameCase, "Documents/a/Readme.txt") {
            for name in ["README.txt", "Readme.txt"] { try $0.write("Documents/a/" + name, "x") }
        },
        Case(right: "two names") {
            for name in ["Documents/Readme.txt", "Documents/a/README.txt"] { try $0.write(name, "x") }
        },
        Case("two names in two forms", .nameForm, "Library/caf\u{E9}") { patient in
            // Under rules that tell them apart.
            for name in ["cafe\u{301}", "caf\u{E9}"] {
                try Data([1]).write(to: URL(filePath: patient.mounted.container + "/Library/" + name))
            }
        },
        Case(right: "one name with an accent") { try $0.write("Library/caf\u{E9}", "x") },
        Case("a Windows path", .nameBackslash, #"Library/notes\list.txt"#) {
            try $0.write(#"Library/notes\list.txt"#, "x")
        },
        Case(right: "a path") { try $0.write("Library/notes/list.txt", "x") },
        Case("a file of its own in Preferences", .preferencesFile, "Library/Preferences/settings.json") {
            try $0.write("Library/Preferences/settings.json", "{}")
        },
        Case(right: "preferences") {
            try $0.write("Library/Preferences/a.plist", "<?xml version=\"1.0\"?><plist><dict/></plist>")
            try $0.write(
                "Library/Preferences/b.plist", Array("bplist00".utf8) + SkipBackup.value.dropFirst(8))
            try $0.write("Library/settings.json", "{}")
        },
    ]

    static let documents: [Case] = [
        Case("a copy of a bundle's file", .reCreatable, "Documents/deep/copy.txt") {
            try $0.writeToBundle("de/help.txt", "How to cook".utf8)
            try $0.write("Documents/deep/copy.txt", "How to cook")
        },
        Case(right: "another file of its size, flagged copies, and one in Library") {
            try $0.writeToBundle("help.txt", "How to cook".utf8)
            try $0.write("Documents/own.txt", "How to bake")
            try $0.write("Documents/copy.txt", "How to cook")
            $0.flag("Documents/copy.txt")
            try $0.write("Documents/flagged/in/copy.txt", "How to cook")
            $0.flag("Documents/flagged")
            try $0.write("Library/help.txt", "How to cook")
        },
        Case("a large document", .large, "Documents/video") {
            try $0.write("Documents/video", repeatElement(7, count: 2_000_000))
        },
        Case("a large document at a smaller limit", .large, "Documents/video") {
            $0.options.largeBytes = 1000
            try $0.write("Documents/video", repeatElement(7, count: 1000))
        },
        Case(right: "one byte less, a flagged one, and one in Caches") {
            try $0.write("Documents/video", repeatElement(7, count: 1_999_999))
            try $0.write("Documents/flagged", repeatElement(7, count: 2_000_000))
            $0.flag("Documents/flagged")
            try $0.write("Library/Caches/video", repeatElement(7, count: 2_000_000))
        },
        Case("a database that people see", .exposed, "Documents/notes.store") {
            $0.app.sharing = both
            try $0.database("Documents/notes.store", table)
        },
        Case("hidden and private files that people see", .exposed, "Documents/.hidden", "Documents/Key.PEM") {
            $0.app.sharing = both
            try $0.write("Documents/.hidden/a/b.txt", "x")
            try $0.write("Documents/.hidden/token", "x")
            try $0.write("Documents/Key.PEM", "x")
        },
        Case("a database that people would see", .exposedLater, "Documents/notes.sqlite") {
            try $0.database("Documents/notes.sqlite", table)
        },
        Case(right: "what the app keeps to itself") {
            $0.app.sharing = both
            try $0.database("Library/Application Support/notes.sqlite", table)
            try $0.write("Library/.hidden", "x")
            try $0.write("Documents/recipe.txt", "x")
            try $0.write("Documents/.Trash/old.txt", "x")
        },
        Case("what .NET keeps in HOME", .homeDotFile, "Documents/.config") {
            try $0.write("Documents/.config/NuGet/NuGet.Config", "x")
        },
        Case(right: "the same in Library, and the directory that is made for .NET") {
            try $0.write("Library/.config/NuGet/NuGet.Config", "x")
            try FileManager.default.createDirectory(
                atPath: $0.path("Documents/.config"), withIntermediateDirectories: true)
        },
        Case("a document in Caches alone", .purgeable, "Library/Caches/data.store", "tmp/letter.pdf") {
            try $0.write("tmp/letter.pdf", "x")
            try $0.database("Library/Caches/data.store", table)
        },
        Case(right: "a document that Caches has a copy of, and what caches are made of") {
            try $0.write("tmp/letter.pdf", "x")
            try $0.write("Documents/letter.pdf", "x")
            try $0.write("Library/Caches/thumb.png", "x")
            try $0.database("Library/Caches/org.example/Cache.db", table)
        },
    ]

    private static func store(
        keys: Int = 1, bytes: Int, isEntitled: Bool = true
    ) -> ExaminedApp.KeyValues {
        ExaminedApp.KeyValues(
            usage: .init(keys: keys, bytes: bytes), limits: .init(keys: 10, bytes: 100),
            isEntitled: isEntitled)
    }

    static let apps: [Case] = [
        Case("one key of two", .sharingHalf, "Recipes.app/Info.plist") { $0.app.sharing.itunes = true },
        Case("the other key", .sharingHalf, "Recipes.app/Info.plist") { $0.app.sharing.opensInPlace = true },
        Case(right: "both keys") { $0.app.sharing = both },
        Case(right: "one key of two beside a document browser") {
            $0.app.sharing = SharingKeys(itunes: true, opensInPlace: false, documentBrowser: true)
        },
        Case("sync without an entitlement", .noUbiquity, "Recipes.app") { $0.app.syncs = true },
        Case(right: "sync with one, and no sync with none") {
            ($0.app.syncs, $0.app.hasUbiquity) = (true, true)
        },
        Case("keys without an entitlement", .noKeyValueStore, "Recipes.app") {
            $0.app.keyValues = store(bytes: 10, isEntitled: false)
        },
        Case("values that fill the store", .keyValuesFull, "Library/SyncedPreferences") {
            $0.app.keyValues = store(bytes: 80)
        },
        Case("as many keys as there may be", .keyValuesFull, "Library/SyncedPreferences") {
            $0.app.keyValues = store(keys: 8, bytes: 1)
        },
        Case(right: "a store with room, and one without keys") { $0.app.keyValues = store(bytes: 79) },
        Case("a changed bundle", .bundleChanged, "Recipes.app/de/a") {
            $0.app.sealDifferences = [.init(path: "de/a", change: "changed")]
        },
        Case("a lost seal", .bundleChanged, "Recipes.app") { $0.app.sealDamage = "the seal was removed" },
        Case("contents in the cloud alone", .dataless, "Documents/far.txt") {
            try $0.inTheCloud("Documents/far.txt")
        },
        Case("contents that were fetched, of a copy", .reCreatable, "Documents/far.txt") {
            try $0.writeToBundle("help.txt", "far away".utf8)
            try $0.inTheCloud("Documents/far.txt")
            $0.options.downloads = true
        },
        Case("an encrypted database", .unexamined, "Library/notes.sqlite") {
            var random = SystemRandomNumberGenerator()
            try $0.write(
                "Library/notes.sqlite", (0..<4096).map { _ in UInt8.random(in: 0...255, using: &random) })
        },
        Case("a broken database", .unexamined, "Library/notes.sqlite") {
            let page = Array("SQLite format 3\0\u{10}\0\u{1}\u{1}".utf8) + Array(repeating: 9, count: 4000)
            try $0.write("Library/notes.sqlite", page + Array(Patient.foreign.utf8))
        },
        Case(right: "nothing") { _ in },
    ]

    @Test(arguments: names + documents + apps) func aMistakeHasItsCodeAndNoOther(_ sample: Case) throws {
        var patient = try Patient(policy: sample.expected?.code == .nameForm ? .legacy : .device)
        try sample.make(&patient)
        let expected = sample.expected.map { [$0.code.rawValue: $0.paths] } ?? [:]
        #expect(try patient.codes() == expected)
    }
}

/// Says of every document that its bytes are in the cloud alone.
private final class FarAway: CloudStatusSource {
    func cloudStatus(of path: [[UInt8]]) -> String? { "not-downloaded" }
}

extension Patient {
    fileprivate mutating func inTheCloud(_ name: String) throws {
        (app.syncs, app.hasUbiquity) = (true, true)
        try write(name, "far away")
        mounted.tree.setCloudStatusSource(FarAway())
        // What MountedHome itself has put there.
        try FileManager.default.removeItem(atPath: path("Documents/Inbox/letter"))
    }
}
