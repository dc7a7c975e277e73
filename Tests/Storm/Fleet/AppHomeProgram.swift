internal import CLinux
internal import Foundation
internal import Posix

/// The program that was built beside this one.
enum AppHomeProgram {
    /// What a command did.
    struct Outcome {
        let status: Int32
        let output: [UInt8]
        let errors: String
        var text: String { String(decoding: output, as: UTF8.self) }
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    static let path = Bundle.main.bundleURL.appendingPathComponent("apphome").path
    /// A command that takes longer is ended, and fails.
    static let limitSeconds = 300

    /// Runs a command on a device. Through files: a daemon that it starts must not keep a pipe open.
    static func run(_ arguments: [String], device: String, variables: [String] = []) throws -> Outcome {
        let name = device + "-" + UUID().uuidString
        let (outputPath, errorsPath) = (name + ".out", name + ".err")
        defer { for path in [outputPath, errorsPath] { try? FileManager.default.removeItem(atPath: path) } }
        let flags = lx_o_creat | lx_o_wronly | lx_o_trunc
        let input = try Descriptor("/dev/null", flags: 0)
        let output = try Descriptor(outputPath, flags: flags, mode: 0o600)
        let errors = try Descriptor(errorsPath, flags: flags, mode: 0o600)
        let child = try Child(
            "/usr/bin/timeout", arguments: ["-k", "5", "\(limitSeconds)", path] + arguments,
            environment: ["HOME=" + device + "-home", "APPHOME_DEVICE=" + device, "PATH=/usr/bin:/bin"]
                + variables,
            descriptors: [input.raw, output.raw, errors.raw])
        let status = try child.wait()
        return Outcome(
            status: status, output: FileManager.default.contents(atPath: outputPath).map(Array.init) ?? [],
            errors: try String(contentsOfFile: errorsPath, encoding: .utf8))
    }
}
