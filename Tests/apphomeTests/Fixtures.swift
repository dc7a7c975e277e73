import Foundation
import FuseKit
import Posix
import TestKit
import Testing

/// A folder with devices and mount points in it; everything mounted there is unmounted at the end.
struct Workplace: ~Copyable {
    let path: String
    var device: String { path + "/device" }

    init() throws {
        path = temporaryParent + "/apphome-test-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        // Whatever mask this process has after other tests: whose the place is alone changes what is in it.
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }

    deinit {
        for mount in mounts(below: path).reversed() {
            _ = try? apphome("unmount", "--lazy", mount, in: device)
        }
        // A daemon that is ending still writes into its device.
        _ = waitForDaemonsEnd()
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Runs a command on this device.
    @discardableResult
    func run(_ arguments: String...) throws -> Outcome { try apphome(arguments, in: device) }

    /// Gives this place to an ordinary user, where the tests run as root.
    /// - Returns: runs a command on this device as that one.
    func ordinaryUser() throws -> ([String]) throws -> Outcome {
        let device = device
        guard geteuid() == 0 else { return { try apphome($0, in: device) } }
        let copy = path + "/apphome"
        try FileManager.default.copyItem(atPath: program, toPath: copy)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        guard chown(path, 1000, 1000) == 0 else { throw POSIXError(.EPERM) }
        let identity = ["--reuid", "1000", "--regid", "1000", "--clear-groups", copy]
        return { try apphome(identity + $0, in: device, program: "/usr/bin/setpriv") }
    }

    /// Waits until nothing serves the device any more; false after 20 seconds.
    func waitForDaemonsEnd() -> Bool {
        let deadline = Deadline(seconds: 20)
        while !daemonProcessIDs.isEmpty, !deadline.hasPassed { usleep(10_000) }
        return daemonProcessIDs.isEmpty
    }

    /// The processes that serve the device; none where nothing does.
    var daemonProcessIDs: [Int32] { processes(["apphome", "daemon", device]) }
}

/// The processes whose command line begins with these words.
func processes(_ words: [String]) -> [Int32] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap(Int32.init).filter { processID in
        guard let line = text("/proc/\(processID)/cmdline") else { return false }
        return line.split(separator: "\0").map(String.init).starts(with: words)
    }
}

/// What a command did.
struct Outcome: CustomStringConvertible {
    let status: Int32
    let outputBytes: Data
    let errors: String

    var output: String { String(decoding: outputBytes, as: UTF8.self) }
    /// What a command with `--json` printed.
    var object: [String: Any] {
        get throws { try #require(try JSONSerialization.jsonObject(with: outputBytes) as? [String: Any]) }
    }
    var description: String { "status \(status), output: \(output), errors: \(errors)" }
}

/// Where the build of the tests left the program.
let program = Bundle.main.bundleURL.appendingPathComponent("apphome").path

func apphome(_ arguments: String..., in device: String) throws -> Outcome {
    try apphome(arguments, in: device)
}

func apphome(_ arguments: [String], in device: String, program path: String = program) throws -> Outcome {
    try start(arguments, in: device, program: path).wait()
}

/// A command that runs.
struct Running {
    let process: Foundation.Process
    let output = Pipe()
    private let errors = Pipe()

    init(_ arguments: [String], _ device: String, _ path: String) throws {
        process = Foundation.Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = ["HOME": device + "-home", "APPHOME_DEVICE": device, "PATH": "/usr/bin:/bin"]
        process.standardOutput = output
        process.standardError = errors
        try process.run()
    }

    /// The next line that it says on standard error, as soon as it does; empty where it ends instead.
    func errorLine() throws -> String {
        var line = Data()
        while let byte = try errors.fileHandleForReading.read(upToCount: 1), byte != Data("\n".utf8) {
            if byte.isEmpty { break }
            line += byte
        }
        return String(decoding: line, as: UTF8.self)
    }

    /// What it has said, from here on, once `text` is in it; all where it ends before.
    func output(upTo text: String) -> String {
        var said = Data()
        while !String(decoding: said, as: UTF8.self).contains(text) {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { break }
            said += more
        }
        return String(decoding: said, as: UTF8.self)
    }

    func wait() throws -> Outcome {
        let output = try output.fileHandleForReading.readToEnd() ?? Data()
        let errors = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Outcome(
            status: process.terminationStatus, outputBytes: output,
            errors: String(decoding: errors, as: UTF8.self))
    }
}

func start(_ arguments: [String], in device: String, program path: String = program) throws -> Running {
    try Running(arguments, device, path)
}

/// The mount points below a folder, in the order of mounting.
func mounts(below path: String) -> [String] {
    ((try? MountTable.current())?.entries ?? []).map(\.mountPoint).filter { $0.hasPrefix(path + "/") }
}

/// What a file holds, all of it where the kernel makes it up too; nil where there is none.
func text(_ path: String) -> String? { try? contents(of: path) }

/// The names in a directory, in their order.
func names(_ directory: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
}

/// The error of a call that has to fail; 0 where it did not.
func failure(_ call: () -> Bool) -> Int32 { call() ? errno : 0 }
