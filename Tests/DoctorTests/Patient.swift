import CLinux
import Foundation
import HomeTree
import Posix
import SandboxRules
import TestKit
import Testing

@testable import Doctor

/// A mounted home that is looked through, with a bundle beside it.
struct Patient: ~Copyable {
    let mounted: MountedHome
    let folder: TemporaryFolder
    var app: ExaminedApp
    var options: Examination.Options
    var databases: any DatabaseExaminer

    /// Of this device: now, and before an upgrade.
    static let current = "0C6D5E0A-7D4C-4B39-9F3B-2B1F6C3F0A11"
    static let former = "5B8F6E92-11AA-4C0F-8D0E-90C2A7DD2E55"
    /// Of no device.
    static let foreign = "99999999-1111-4222-8333-444444444444"

    static let book = ContainerBook([
        ContainerID(current)!: .init(kind: "data", identifier: "org.example.recipes", isCurrent: true),
        ContainerID(former)!: .init(kind: "data", identifier: "org.example.recipes", isCurrent: false),
    ])

    init(policy: NamePolicy = .device) throws {
        let mounted = try MountedHome(policy: policy)
        let folder = try TemporaryFolder()
        try folder.directory("Recipes.app/de")
        app = ExaminedApp(
            bundleName: "Recipes.app",
            sharing: SharingKeys(itunes: false, opensInPlace: false, documentBrowser: false), syncs: false,
            hasUbiquity: false, sealDifferences: [], sealDamage: nil, containers: Self.book)
        options = Examination.Options()
        databases = DatabaseSearchProcess(
            program: Bundle.main.bundleURL.appendingPathComponent("database-helper").path,
            known: Self.book.ids, home: mounted.home)
        self.mounted = mounted
        self.folder = folder
    }

    func path(_ name: String) -> String { mounted.home + "/" + name }

    /// Writes a file of the home, with the directories above it.
    func write(_ name: String, _ bytes: some Sequence<UInt8>) throws {
        try Self.write(path(name), bytes)
    }

    func write(_ name: String, _ text: String) throws { try write(name, text.utf8) }

    func writeToBundle(_ name: String, _ bytes: some Sequence<UInt8>) throws {
        try Self.write(folder.path + "/Recipes.app/" + name, bytes)
    }

    private static func write(_ path: String, _ bytes: some Sequence<UInt8>) throws {
        let url = URL(filePath: path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url)
    }

    func database(_ name: String, _ statements: String) throws {
        let parent = URL(filePath: path(name)).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        _ = try SQLiteProgram.run(statements, on: path(name))
    }

    func flag(_ name: String) {
        let value = SkipBackup.value
        let attribute = SkipBackup.excludeItem.description
        #expect(
            lx_setxattrat(lx_at_fdcwd, path(name), attribute, value, UInt64(value.count), 0) == 0, "\(name)")
    }

    func examine() throws -> FindingList {
        let home = try Descriptor(mounted.home, flags: lx_o_directory)
        let bundle = try Descriptor(folder.path + "/Recipes.app", flags: lx_o_directory)
        let examination = Examination(
            of: app, in: .init(home: home.raw, bundle: bundle.raw, groups: []), options, databases: databases)
        examination.run()
        return examination.found
    }

    /// The codes that are found, each once, with the paths that they are found at.
    func codes() throws -> [String: [String]] {
        Dictionary(grouping: try examine().findings, by: \.code.rawValue).mapValues { findings in
            Set(findings.map(\.path)).sorted()
        }
    }
}
