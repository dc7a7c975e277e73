import CLinux
import Foundation
import Posix
import SystemPackage

/// A real S3 server, started by `mount-scripts/seaweed`. It ends with this process, however that ends.
public struct SeaweedProcess: Sendable {
    /// What the script said when it should have done something else.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    public let folder: String
    /// As `apphome cloud account set` takes it.
    public let url: String
    /// `http://127.0.0.1:PORT`
    public let endpoint: String
    public let port: UInt16
    public let accessKey: String
    public let secretKey: String
    public let processID: Int32

    /// One that the tests share, each under a prefix of its own.
    public static let shared = Result { try SeaweedProcess(folder: temporaryPath()) }

    public static func temporaryPath() -> String {
        NSTemporaryDirectory() + "apphome-test-seaweed-" + UUID().uuidString.prefix(8).lowercased()
    }

    public static func newPrefix() -> String { "test-" + UUID().uuidString.lowercased() }

    /// Starts a server; one that was killed in this folder starts again, with its objects and its address.
    public init(folder: String) throws {
        let lines = try Self.script(["start", "--for", String(getpid()), folder])
        func value(_ name: String) throws -> String {
            guard let line = lines.first(where: { $0.hasPrefix(name + "=") }) else {
                throw Failure(description: "no \(name) in \(lines)")
            }
            return String(line.dropFirst(name.count + 1))
        }
        self.folder = folder
        url = try value("url")
        endpoint = try value("endpoint")
        accessKey = try value("AWS_ACCESS_KEY_ID")
        secretKey = try value("AWS_SECRET_ACCESS_KEY")
        guard let processID = Int32(try value("pid")) else { throw Failure(description: "no pid") }
        guard let port = endpoint.split(separator: ":").last.flatMap({ UInt16($0) }) else {
            throw Failure(description: "no port in \(endpoint)")
        }
        (self.processID, self.port) = (processID, port)
    }

    public func stop() throws { _ = try Self.script(["stop", folder]) }

    private static let scriptPath = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "mount-scripts/seaweed").path

    /// The script's output, by lines. Through a file: what it leaves running would keep a pipe open.
    public static func script(_ arguments: [String]) throws -> [String] {
        let path = NSTemporaryDirectory() + "/apphome-test-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        let output = try Descriptor(path, flags: lx_o_creat | lx_o_wronly | lx_o_trunc, mode: 0o600)
        let input = try Descriptor("/dev/null", flags: 0)
        let variables = ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" }
        let child = try Child(
            scriptPath, arguments: arguments, environment: variables, descriptors: [input.raw, output.raw, 2])
        let status = try child.wait()
        let text = try String(contentsOfFile: path, encoding: .utf8)
        guard status == 0 else {
            throw Failure(description: "mount-scripts/seaweed \(arguments): \(text)")
        }
        return text.split(separator: "\n").map(String.init)
    }
}
