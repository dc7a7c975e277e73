import Foundation
import Testing

/// A checkout of an ordinary user, in which a build's service runs commands.
struct CheckPlace: ~Copyable {
    let work: Workplace
    var checkout: String { work.path + "/checkout" }
    /// Where temporary devices are made.
    var temporary: String { work.path + "/temporary" }
    var home: String { work.path + "/home" }
    private static let propertyList = """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0"><dict>
        <key>CFBundleIdentifier</key><string>org.example.notes</string>
        <key>CFBundleName</key><string>Notes</string>
        <key>UIFileSharingEnabled</key><true/><key>LSSupportsOpeningDocumentsInPlace</key><true/>
        </dict></plist>
        """

    /// - Parameter tests: the script `run-tests` in the checkout.
    init(tests: String = "true") throws {
        let work = try Workplace()
        try Self.fill(work.path, tests)
        self.work = work
    }

    private static func fill(_ path: String, _ tests: String) throws {
        for folder in ["", "/checkout", "/temporary", "/home", "/checkout/build"] {
            if !folder.isEmpty { mkdir(path + folder, 0o755) }
            try #require(chown(path + folder, RunPlace.ownerID, RunPlace.ownerID) == 0)
        }
        chmod(path + "/temporary", 0o1777)
        try FileManager.default.copyItem(atPath: program, toPath: path + "/apphome")
        try write(propertyList, path + "/checkout/Info.plist")
        try write("#!/bin/sh\n" + tests, path + "/checkout/run-tests")
    }

    /// Writes a file that its owner may run.
    private static func write(_ text: String, _ path: String) throws {
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        try #require(chmod(path, 0o755) == 0 && chown(path, RunPlace.ownerID, RunPlace.ownerID) == 0)
    }

    func write(_ text: String, _ name: String) throws { try Self.write(text, checkout + "/" + name) }

    /// Runs `ci-check` on the checkout's Info.plist, in the checkout.
    func check(_ arguments: String...) throws -> Outcome {
        try start(["apphome", "ci-check", "--from-plist", "Info.plist"] + arguments).wait()
    }

    /// A command in the checkout, as its owner.
    /// - Parameters:
    ///   - asRoot: as root, where root runs the tests.
    ///   - before: words of a command that runs it.
    func start(_ command: [String], asRoot: Bool = false, before: [String] = []) throws -> Running {
        let variables = ["HOME=" + home, "TMPDIR=" + temporary, "PATH=\(work.path):/usr/bin:/bin"]
        let words =
            (asRoot ? [] : RunPlace.asOwner) + before + ["env", "--unset=APPHOME_DEVICE"] + variables
        return try apphomeTests.start(
            ["-c", "cd \"$0\" && exec \"$@\"", checkout] + words + command, in: work.device,
            program: "/bin/sh")
    }

    /// What temporary devices have left: folders, mounts, daemons, and notes of where they are.
    var leftovers: [String] {
        let folders = (try? names(temporary)) ?? ["no folder"]
        let notes = (try? names(home + "/.local/share/apphome/by-id")) ?? []
        let daemons = processes(["apphome", "daemon"]).filter {
            text("/proc/\($0)/cmdline")?.contains(temporary) ?? false
        }
        return folders + notes + mounts(below: work.path) + daemons.map { "daemon \($0)" }
    }
}
