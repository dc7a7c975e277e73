import Foundation
import Testing

/// The scripts as they are run, with programs in the place of those that change the system.
@Suite struct ScriptTests {
    @Test func `Every script says what it is for when it is asked, and does nothing`() throws {
        let system = try StandIns()
        let scripts = TidyTests.scripts.filter { file in
            file.path.hasPrefix("mount-scripts/") && file.lines.first?.hasPrefix("#!") == true
        }
        #expect(scripts.count > 15)
        for script in scripts {
            let name = (script.path as NSString).lastPathComponent
            let answer = try system.run(Repository.root.appending(path: script.path).path, "--help")
            #expect(answer.status == 0, "\(script.path)")
            #expect(answer.text.contains(name), "\(script.path) says: \(answer.text)")
        }
        #expect(try system.calls() == [])
    }

    @Test func `What is missing is named before it is installed, all at once`() throws {
        let system = try StandIns()
        let common = Repository.root.appending(path: "mount-scripts/common.sh").path
        let answer = try system.run("/bin/bash", "-c", ". '\(common)'; install_missing one two")
        #expect(answer.status == 0)
        #expect(answer.text == "Installing with apt-get, as root: one two\n")
        let calls = try system.calls().filter { !$0.hasPrefix("dpkg-query") && !$0.hasPrefix("sudo") }
        #expect(calls == ["apt-get -qq -y --no-install-recommends install one two"])
    }
}

/// Programs that only write down that they were called. `dpkg-query` knows no package; `sudo` runs what it is
/// given.
private final class StandIns {
    private static let names = [
        "apt-get", "debootstrap", "dpkg-query", "mount", "python3", "sudo", "swift", "tee", "unshare",
    ]

    private let folder = FileManager.default.temporaryDirectory.appending(path: "apphome-\(UUID())")
    private var log: URL { folder.appending(path: "log") }

    init() throws {
        let programs = folder.appending(path: "bin")
        try FileManager.default.createDirectory(at: programs, withIntermediateDirectories: true)
        for name in Self.names {
            let rest = name == "sudo" ? "shift; exec \"$@\"" : ""
            let text = "#!/bin/sh\necho \"\(name) $*\" >>'\(log.path)'\n\(rest)\n"
            let path = programs.appending(path: name).path
            let made = FileManager.default.createFile(
                atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o755])
            try #require(made)
        }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// What was called, in turn: a line for each.
    func calls() throws -> [String] {
        guard FileManager.default.fileExists(atPath: log.path) else { return [] }
        return try String(contentsOf: log, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    /// Runs a program with these before the system's own.
    /// - Returns: its exit status, and what it wrote to both streams.
    func run(_ program: String, _ arguments: String...) throws -> (status: Int32, text: String) {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.environment = ["PATH": folder.path + "/bin:/usr/bin:/bin", "HOME": folder.path]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }
}
