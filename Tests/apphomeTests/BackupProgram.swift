import Foundation
import TestKit
import Testing

/// A public reader of backups, in Python.
enum BackupProgram {
    private static let repository = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The Python that has it.
    private static let python: String? = {
        let script = repository.appending(path: "mount-scripts/backup-readers").path
        let lines = try? shell(script, "install").split(separator: "\n")
        return lines?.last.map(String.init)
    }()

    /// Extracts a backup into `target`, a folder for each domain.
    /// - Returns: domain and path of each item, with a `/` between.
    static func extract(_ backup: String, to target: String, password: String? = nil) throws -> Set<String> {
        let python = try #require(python, "mount-scripts/backup-readers could not install it")
        let script = repository.appending(path: "Tests/BackupPrograms/read.py").path
        let text = try shell([python, script, backup, target] + (password.map { [$0] } ?? []))
        let items = text.split(separator: "\n").compactMap { line in
            try? JSONDecoder().decode(Item.self, from: Data(line.utf8))
        }
        return Set(items.map { "\($0.domain)/\($0.path)" })
    }

    /// Makes a backup that shares no code with the product.
    /// - Parameter items: what write.py takes.
    static func make(
        _ items: [[String: Any]], in folder: String, password: String? = nil, _ more: [String: Any] = [:]
    ) throws {
        let python = try #require(python, "mount-scripts/backup-readers could not install it")
        let script = repository.appending(path: "Tests/BackupPrograms/write.py").path
        var description = more
        description["items"] = items
        description["password"] = password
        let json = try JSONSerialization.data(withJSONObject: description)
        try json.write(to: URL(fileURLWithPath: folder + ".json"))
        _ = try shell("/bin/sh", "-c", "'\(python)' '\(script)' '\(folder)' < '\(folder).json'")
    }

    private struct Item: Decodable {
        let domain: String
        let path: String
    }

    private static func shell(_ arguments: String...) throws -> String { try shell(arguments) }

    private static func shell(_ arguments: [String]) throws -> String {
        let process = Foundation.Process()
        process.executableURL = URL(fileURLWithPath: arguments[0])
        process.arguments = Array(arguments.dropFirst())
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(arguments)")
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Workplace {
    var backups: String { path + "/backups" }

    /// The folder of the one backup that was made.
    func backup() throws -> String {
        let names = try FileManager.default.contentsOfDirectory(atPath: backups)
        #expect(names.count == 1, "\(names)")
        return backups + "/" + (names.first ?? "")
    }

    /// A file with the password "secret".
    func passwordFile() throws -> String {
        try "secret\n".write(toFile: path + "/password", atomically: false, encoding: .utf8)
        return path + "/password"
    }

    func write(_ text: String, to path: String) throws {
        let place = self.path + "/" + path
        let parent = URL(fileURLWithPath: place).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        try text.write(toFile: place, atomically: false, encoding: .utf8)
    }

    func read(_ path: String) -> String? { text(self.path + "/" + path) }
}
