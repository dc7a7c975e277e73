import Backup
import Foundation
import Posix
import Testing

/// A backup that the independent writer makes (Tests/BackupPrograms/write.py says what it can do).
struct ForeignBackup {
    static let domain = "AppDomain-org.example.notes"

    var items: [[String: Any]] = []
    var more: [String: Any] = [:]
    var password: String?

    mutating func file(_ path: String, _ text: String = "x", _ more: [String: Any] = [:]) {
        add(path, "file", more.merging(["text": text]) { a, _ in a })
    }

    mutating func directory(_ path: String, _ more: [String: Any] = [:]) {
        add(path, "directory", more.merging(["mode": 0o755]) { a, _ in a })
    }

    mutating func link(_ path: String, to target: String) {
        add(path, "link", ["target": target, "mode": 0o755])
    }

    private mutating func add(_ path: String, _ kind: String, _ more: [String: Any]) {
        items.append(["domain": Self.domain, "path": path, "kind": kind].merging(more) { $1 })
    }

    func write(to folder: String) throws {
        let python = try #require(PublicReader.python)
        var description = more
        description["items"] = items
        description["password"] = password
        let json = String(decoding: try JSONSerialization.data(withJSONObject: description), as: UTF8.self)
        try json.write(toFile: folder + ".json", atomically: false, encoding: .utf8)
        let script = repository.appending(path: "Tests/BackupPrograms/write.py").path
        let result = run(["/bin/sh", "-c", "'\(python)' '\(script)' '\(folder)' < '\(folder).json'"])
        #expect(result.status == 0, "\(result.output)")
    }
}

extension Scratch {
    func reader(_ folder: String, password: String? = nil) throws -> BackupReader {
        try BackupReader(try open(folder), password: password.map { Array($0.utf8) })
    }

    /// Restores a domain of the backup in `folder` into the new directory `target`.
    @discardableResult
    func restore(
        _ folder: String, _ domain: String = ForeignBackup.domain, to target: String = "restored",
        password: String? = nil, limitBytes: Int64 = 1 << 40
    ) throws -> RestoreReport {
        let reader = try reader(folder, password: password)
        let plan = try reader.plan(domain, limitBytes: limitBytes)
        try directory(target)
        return try reader.restore(plan, into: try open(target))
    }

    /// Path, kind, mode, size or link text, whole seconds and content of all below a directory, and its
    /// attributes, one line each.
    func tree(_ name: String) -> [String] {
        let script = """
            import os, sys, hashlib
            top = sys.argv[1]
            for folder, directories, files in os.walk(top):
                for name in directories + files:
                    path = os.path.join(folder, name)
                    status = os.lstat(path)
                    text = os.readlink(path) if os.path.islink(path) else ''
                    if os.path.isfile(path) and not text:
                        text = hashlib.sha256(open(path, 'rb').read()).hexdigest()
                    names = [] if os.path.islink(path) else sorted(os.listxattr(path))
                    values = [(n, os.getxattr(path, n).hex()) for n in names]
                    print(os.path.relpath(path, top), oct(status.st_mode), int(status.st_mtime), text, values)
            """
        return run(["/usr/bin/python3", "-c", script, file(name)]).output.split(separator: "\n").map(
            String.init
        )
        .sorted()
    }
}
