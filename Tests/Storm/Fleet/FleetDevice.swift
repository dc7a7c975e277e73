internal import Foundation
internal import Glibc
internal import Posix
internal import TestKit

/// One device: its folder, its daemon, and where its home is mounted.
struct FleetDevice: Sendable {
    let index: Int
    let folder: String
    let variables: [String]

    var point: String { folder + "-home-mount" }
    var documents: String { point + "/Documents" }
    /// In the home, and not synced.
    var library: String { point + "/Library" }

    func run(_ arguments: String...) throws -> AppHomeProgram.Outcome { try run(arguments) }

    func run(_ arguments: [String]) throws -> AppHomeProgram.Outcome {
        try AppHomeProgram.run(arguments, device: folder, variables: variables)
    }

    /// Runs a command that has to succeed.
    @discardableResult
    func tell(_ arguments: String...) throws -> String { try tell(arguments) }

    @discardableResult
    func tell(_ arguments: [String]) throws -> String {
        let outcome = try run(arguments)
        guard outcome.status == 0 else {
            let words = arguments.joined(separator: " ")
            throw AppHomeProgram.Failure(
                description: "device \(index): apphome \(words): exit \(outcome.status): \(outcome.errors)"
                    + outcome.text)
        }
        return outcome.text
    }

    func mount(_ options: [String] = []) throws { try tell(["mount", Fleet.app, point] + options) }

    func unmount() throws { try tell("unmount", point) }

    /// A document with more than one version.
    struct Conflict: Decodable, Equatable {
        struct Version: Decodable, Equatable {
            let id: String
            let isCurrent: Bool
            let hash: String?
        }
        let path: String
        let versions: [Version]
    }

    func conflicts() throws -> [Conflict] {
        let text = try tell("cloud", "conflicts", Fleet.app, "--json")
        return try JSONDecoder().decode([Conflict].self, from: Data(text.utf8))
    }

    /// What was told of the app's documents, in the order of the log.
    func operations() throws -> [String] {
        struct Entry: Decodable { let operation: String }
        let text = try tell("cloud", "log", Fleet.app, "--json", "--limit", "10000")
        return try JSONDecoder().decode([Entry].self, from: Data(text.utf8)).map(\.operation)
    }

    /// The bytes of a version.
    func contents(of path: String, version: String) throws -> [UInt8] {
        let outcome = try run("cloud", "cat", Fleet.app, path, "--version", version)
        guard outcome.status == 0 else {
            throw AppHomeProgram.Failure(description: "\(path) \(version): \(outcome.errors)")
        }
        return outcome.output
    }

    /// The daemons that serve it: one, or none.
    var daemons: [Int32] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap(Int32.init).filter { processID in
            guard let line = try? TestKit.contents(of: "/proc/\(processID)/cmdline") else { return false }
            return line.split(separator: "\0").map(String.init).starts(with: ["apphome", "daemon", folder])
        }
    }

    /// Ends its daemon as a crash does; the mount is dead then, until it is mounted again.
    func kill() {
        for daemon in daemons { Glibc.kill(daemon, SIGKILL) }
        _ = eventually { daemons.isEmpty }
    }

    /// Unmounts what is mounted and waits for the daemon's end, whatever state they are in.
    func end() {
        if let mounts = try? TestKit.contents(of: "/proc/self/mountinfo"), mounts.contains(" \(point) ") {
            // Uploads that nobody waits for any more are not waited for.
            _ = try? run("unmount", "--lazy", point)
        }
        if !eventually(seconds: 10, { daemons.isEmpty }) { kill() }
    }
}
