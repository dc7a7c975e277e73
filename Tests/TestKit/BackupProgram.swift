import Foundation

/// A public reader of backups, in Python, and a maker of backups that shares no code with the product.
public enum BackupProgram {
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
    public static func extract(
        _ backup: String, to target: String, password: String? = nil
    ) throws -> Set<String> {
        let python = try installed()
        let script = repository.appending(path: "Tests/BackupPrograms/read.py").path
        let text = try shell([python, script, backup, target] + (password.map { [$0] } ?? []))
        let items = text.split(separator: "\n").compactMap { line in
            try? JSONDecoder().decode(Item.self, from: Data(line.utf8))
        }
        return Set(items.map { "\($0.domain)/\($0.path)" })
    }

    /// Makes a backup that shares no code with the product.
    /// - Parameter items: what write.py takes.
    public static func make(
        _ items: [[String: Any]], in folder: String, password: String? = nil, _ more: [String: Any] = [:]
    ) throws {
        let python = try installed()
        let script = repository.appending(path: "Tests/BackupPrograms/write.py").path
        var description = more
        description["items"] = items
        description["password"] = password
        let json = try JSONSerialization.data(withJSONObject: description)
        try json.write(to: URL(fileURLWithPath: folder + ".json"))
        _ = try shell("/bin/sh", "-c", "'\(python)' '\(script)' '\(folder)' < '\(folder).json'")
    }

    /// What a program could not do.
    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private static func installed() throws -> String {
        guard let python else {
            throw Failure(description: "mount-scripts/backup-readers could not install it")
        }
        return python
    }

    private struct Item: Decodable {
        let domain: String
        let path: String
    }

    private static func shell(_ arguments: String...) throws -> String { try shell(arguments) }

    private static func shell(_ arguments: [String]) throws -> String {
        let outcome = try output(of: arguments)
        guard outcome.status == 0 else { throw Failure(description: "failed: \(arguments)") }
        return outcome.text
    }
}
