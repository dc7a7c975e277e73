import Foundation
import Testing

/// `apphome watch --scan`: paths of containers are noticed as they are written.
@Suite(.serialized, .timeLimit(.minutes(2))) struct ScanTests {
    private struct Event: Decodable { let event: String, path: String?, detail: String? }

    /// A watcher, and what it says.
    private final class Watch {
        private let running: Running
        private var rest = Data()

        init(_ app: String, in device: String) throws {
            running = try start(["watch", app, "--scan", "--json", "--since", "1h"], in: device)
        }

        deinit {
            kill(running.process.processIdentifier, SIGKILL)
            running.process.waitUntilExit()
        }

        /// nil where it has ended.
        func next() throws -> Event? {
            while true {
                if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    defer { rest = Data(rest[(end + 1)...]) }
                    return try JSONDecoder().decode(Event.self, from: rest[..<end])
                }
                let more = running.output.fileHandleForReading.availableData
                if more.isEmpty { return nil }
                rest += more
            }
        }

        /// The paths that it told of before an event at `path`.
        func paths(until path: String) throws -> [String] {
            var paths: [String] = []
            while let event = try next(), event.path != path {
                if event.event == "container-path" { paths.append(event.path ?? "") }
            }
            return paths
        }
    }

    private func write(_ text: String, _ path: String) throws {
        try text.write(toFile: path, atomically: false, encoding: .utf8)
    }

    @Test func whatIsWrittenIsSearchedOnceItIsClosed() throws {
        let place = try Workplace()
        #expect(try place.run("new", "Notes", "--group", "group.org.example").status == 0)
        #expect(try place.run("cloud", "account", "none").status == 0)
        let home = place.path + "/home"
        #expect(try place.run("mount", "Notes", home, "--no-sync").status == 0)
        let documents = home + "/Documents"
        let group = try place.run("group", "path", "Notes", "group.org.example").output.dropLast()
        let id = try #require(try names(place.device + "/Containers/Data/Application").first)
        let path = "/private/var/mobile/Containers/Data/Application/\(id)/Documents/a"
        // Of before: that is doctor's.
        try write(path, documents + "/before")
        #expect(mkdir(home + "/refused", 0o755) == -1)
        let watch = try Watch("Notes", in: place.device)
        // It searches before it tells of anything.
        #expect(try watch.next()?.path == "refused")
        // The twin stores what lies below the directory.
        try write("Documents/a", documents + "/right")
        try write(path, documents + "/wrong")
        try write(path, home + "/tmp/gone")
        try FileManager.default.createDirectory(atPath: documents + "/d/e", withIntermediateDirectories: true)
        try write(path, documents + "/d/e/deep")
        try write(path, documents + "/d/draft")
        #expect(rename(documents + "/d/draft", documents + "/d/named") == 0)
        #expect(symlink(path, documents + "/link") == 0)
        try write(path, group + "/shared")
        // What is made in a new directory may be met twice, and a draft may have its name by then.
        let told = Set(try watch.paths(until: "group.org.example/shared"))
        #expect(
            told.subtracting(["Documents/d/draft"]) == [
                "Documents/d/e/deep", "Documents/d/named", "Documents/link", "Documents/wrong",
            ])
    }
}
