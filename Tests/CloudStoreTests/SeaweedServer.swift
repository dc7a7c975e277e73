import CLinux
import Foundation
import Posix
import SystemPackage
import Testing

@testable import CloudStore

/// A real S3 server, started by `mount-scripts/seaweed`. It ends with this process, however that ends.
struct SeaweedServer: Sendable {
    let folder: String
    let location: S3Location
    let credentials: S3Credentials
    let processID: Int32

    /// One that the tests share, each under a prefix of its own.
    static let shared = Result { try SeaweedServer(folder: temporaryPath()) }

    static func temporaryPath() -> String {
        NSTemporaryDirectory() + "apphome-test-seaweed-" + UUID().uuidString.prefix(8).lowercased()
    }

    /// Starts a server; one that was killed in this folder starts again, with its objects and its address.
    init(folder: String) throws {
        let lines = try Self.script(["start", "--for", String(getpid()), folder])
        func value(_ name: String) throws -> String {
            let line = try #require(lines.first { $0.hasPrefix(name + "=") }, "no \(name) in \(lines)")
            return String(line.dropFirst(name.count + 1))
        }
        guard case .s3(let location) = try StoreURL(value("url")) else {
            throw CocoaError(.featureUnsupported)
        }
        self.folder = folder
        self.location = location
        credentials = S3Credentials(
            accessKey: try value("AWS_ACCESS_KEY_ID"), secretKey: try value("AWS_SECRET_ACCESS_KEY"))
        processID = try #require(Int32(value("pid")))
    }

    func stop() throws { _ = try Self.script(["stop", folder]) }

    /// A store of its own in the server.
    func store(
        credentials: S3Credentials? = nil, bucket: String? = nil, prefix: String = "",
        network: NetworkSettings = NetworkSettings()
    ) throws -> S3Store {
        let place = try S3Location(
            bucket: bucket ?? location.bucket, prefix: prefix, endpoint: location.endpoint)
        return S3Store(place, credentials: credentials ?? self.credentials, network: network)
    }

    static func newPrefix() -> String { "test-" + UUID().uuidString.lowercased() }

    private static let scriptPath = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "mount-scripts/seaweed").path

    /// The script's output, by lines. Through a file: what it leaves running would keep a pipe open.
    static func script(_ arguments: [String]) throws -> [String] {
        let path = NSTemporaryDirectory() + "apphome-test-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        let output = try Descriptor(path, flags: lx_o_creat | lx_o_wronly | lx_o_trunc, mode: 0o600)
        let input = try Descriptor("/dev/null", flags: 0)
        let variables = ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" }
        let child = try Child(
            scriptPath, arguments: arguments, environment: variables, descriptors: [input.raw, output.raw, 2])
        let status = try child.wait()
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(status == 0, "mount-scripts/seaweed \(arguments): \(text)")
        return text.split(separator: "\n").map(String.init)
    }
}
