import Foundation
import Posix
import Testing

/// A real S3 server, started by `mount-scripts/seaweed`, that goes with the value or with this process.
struct ThrowAwayServer: ~Copyable {
    private let folder: String
    let url: String
    /// As `~/.aws/credentials` has them.
    let credentials: String

    init() throws {
        let folder = NSTemporaryDirectory() + "apphome-test-seaweed-" + UUID().uuidString.lowercased()
        let lines = try Self.script("start", "--for", String(getpid()), folder)
        func value(_ name: String) throws -> String {
            let line = try #require(lines.first { $0.hasPrefix(name + "=") }, "no \(name) in \(lines)")
            return String(line.dropFirst(name.count + 1))
        }
        let (url, id) = (try value("url"), try value("AWS_ACCESS_KEY_ID"))
        let secret = try value("AWS_SECRET_ACCESS_KEY")
        self.folder = folder
        self.url = url
        credentials = "[default]\naws_access_key_id = \(id)\naws_secret_access_key = \(secret)\n"
    }

    deinit { _ = try? Self.script("stop", folder) }

    /// The script's output, by lines. Through a file: what it leaves running would keep a pipe open.
    private static func script(_ arguments: String...) throws -> [String] {
        let path = NSTemporaryDirectory() + "apphome-test-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        let output = try Descriptor(path, flags: O_CREAT | O_WRONLY, mode: 0o600)
        let input = try Descriptor("/dev/null", flags: O_RDONLY)
        let variables = ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" }
        let sources = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let child = try Child(
            sources.appending(path: "mount-scripts/seaweed").path, arguments: arguments,
            environment: variables, descriptors: [input.raw, output.raw, 2])
        let status = try child.wait()
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(status == 0, "mount-scripts/seaweed \(arguments): \(text)")
        return text.split(separator: "\n").map(String.init)
    }
}
