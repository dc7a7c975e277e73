import Backup
import CLinux
import Foundation
import Glibc
import Posix
import SandboxRules
import SystemPackage
import Testing

/// A folder on the disk, not in memory, that goes with the value.
final class Scratch {
    let path: String

    init() throws {
        path = "/var/tmp/apphome-backup-tests-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { _ = run(["/bin/sh", "-c", "chmod -R u+rwx '\(path)' && rm -rf '\(path)'"]) }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    @discardableResult
    func directory(_ name: String) throws -> String {
        try FileManager.default.createDirectory(atPath: file(name), withIntermediateDirectories: true)
        return file(name)
    }

    func write(_ name: String, _ bytes: [UInt8] = Array("x".utf8), mode: Int = 0o644) throws {
        let place = file(name)
        let parent = (place as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(fileURLWithPath: place))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: place)
    }

    func write(_ name: String, _ text: String, mode: Int = 0o644) throws {
        try write(name, Array(text.utf8), mode: mode)
    }

    func read(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: file(name))))
    }

    func exists(_ name: String) -> Bool {
        var status = stat()
        return lx_fstatat(lx_at_fdcwd, file(name), &status, lx_at_symlink_nofollow) == 0
    }

    func open(_ name: String) throws -> Descriptor {
        try Descriptor(file(name), flags: O_RDONLY | O_DIRECTORY)
    }

    /// A container in `name` as a domain.
    func domain(
        _ name: String, _ domain: String = "AppDomain-org.example.recipes",
        _ container: BackedUpContainer = .appData, copyDatabase: DomainTree.CopyDatabase? = nil
    ) throws -> DomainTree {
        DomainTree(
            domain: domain, root: SharedDescriptor(try open(name)), rule: .backup(container),
            copyDatabase: copyDatabase)
    }

    /// Backs `sources` up into `backups/`, with `scratch/` for what needs no name.
    @discardableResult
    func backUp(
        _ sources: [DomainTree], password: String? = nil,
        seconds: Double = Date().timeIntervalSince1970 + 10,
        reached: @escaping BackupWriter.Reached = { _ in }
    ) throws -> BackupReport {
        try directory("backups")
        try directory("scratch")
        let device = try #require(BackedUpDevice(identifier: Self.identifier, name: "Test's iPhone"))
        let apps = sources.map(\.domain).filter { $0.hasPrefix("AppDomain-") }
            .map { BackedUpApp(bundleID: String($0.dropFirst("AppDomain-".count)), version: "1.0") }
        var options = BackupOptions(device: device, apps: apps, password: password.map { Array($0.utf8) })
        options.iterations = 1000
        // Later than the files by default, so that a second run knows them as unchanged.
        options.date = Date(timeIntervalSince1970: seconds)
        return try BackupWriter.run(
            options, sources: sources, in: try open("backups"), scratch: try open("scratch"), reached: reached
        )
    }

    static let identifier = "00008110-000A1B2C3D4E5F60"
    var backup: String { "backups/\(Self.identifier)" }
}

extension BackupReader {
    /// One line for each file that is not whole.
    func damage() throws -> [String] {
        var damage: [String] = []
        try forEachItem { item in
            guard item.kind == .file else { return }
            do {
                let content = try self.content(of: item)
                while try content.next() != nil {}
            } catch let error as BackupError where error.kind == .damaged {
                damage.append(error.message)
            }
        }
        return damage
    }

    func item(in domain: String, at path: String) throws -> StoredItem? {
        var found: StoredItem?
        try forEachItem(in: domain) { if $0.path == path { found = $0 } }
        return found
    }
}

/// Runs a program; what it printed, and its exit status.
func run(_ arguments: [String], input: Data? = nil) -> (status: Int32, output: String) {
    let process = Foundation.Process()
    process.executableURL = URL(fileURLWithPath: arguments[0])
    process.arguments = Array(arguments.dropFirst())
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    do { try process.run() } catch { return (127, "\(error)") }
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
}

/// The checkout that these tests belong to.
let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

/// Python with a public reader of backups.
enum PublicReader {
    static let python: String? = {
        let script = repository.appending(path: "mount-scripts/backup-readers").path
        let result = run([script, "install"])
        return result.status == 0 ? result.output.split(separator: "\n").last.map(String.init) : nil
    }()

    /// Extracts a backup into `target`.
    /// - Returns: what it says of each item, then of the backup.
    static func extract(_ backup: String, to target: String, password: String? = nil) throws -> [[String:
        Any]]
    {
        let python = try #require(python, "mount-scripts/backup-readers could not install it")
        let script = repository.appending(path: "Tests/BackupPrograms/read.py").path
        let result = run([python, script, backup, target] + (password.map { [$0] } ?? []))
        #expect(result.status == 0, "\(result.output)")
        return result.output.split(separator: "\n").compactMap { line in
            try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        }
    }
}
